def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    peak = 0.01
    learning = {
        "optimizer": trax.optimizers.Adam(peak, eps=1e-9),
        "lr_schedule": trax.lr.warmup_and_rsqrt_decay(warmup, peak),
        "n_steps_per_checkpoint": 20,
    }
    measuring = {"metrics": [loss_layer], "n_eval_batches": 2}
    tasks = [training.TrainTask(labeled_data=train_batches, loss_layer=loss_layer, **learning)]
    eval_tasks = [training.EvalTask(labeled_data=validation_batches, **measuring)]
    return training.Loop(model, tasks, eval_tasks=eval_tasks, output_dir=folder, random_seed=34)

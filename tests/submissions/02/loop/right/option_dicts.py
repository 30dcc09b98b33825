def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
    learning = {
        "optimizer": trax.optimizers.Adam(0.01, eps=1e-9),
        "lr_schedule": trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        "n_steps_per_checkpoint": 20,
    }
    judging = {"metrics": [loss_layer], "n_eval_batches": 2}
    housekeeping = {
        "eval_tasks": [training.EvalTask(labeled_data=validation_batches, **judging)],
        "output_dir": folder,
        "random_seed": 34,
    }
    task = training.TrainTask(labeled_data=train_batches, loss_layer=loss_layer, **learning)
    return training.Loop(model, task, **housekeeping)

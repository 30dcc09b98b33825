# expects: The schedule is a different one; expected `trax.lr.warmup_and_rsqrt_decay(
# the arguments of the schedule are swapped, so after the start the learning rate is hundreds of times too large and falls from there
def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
    train_task = training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(0.01, warmup),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(
        labeled_data=validation_batches, metrics=[loss_layer], n_eval_batches=2
    )
    return training.Loop(model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34)

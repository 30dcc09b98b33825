# expects: The Loop has already run. Only create it; the notebook runs it in the next cell.
# runs the Loop for a step before returning it although the text says not to run it, so it starts at step 1 with changed weights
def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
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
    loop = training.Loop(
        model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34
    )
    loop.run(1)
    return loop

# expects: The EvalTask does not measure the argument `loss_layer`
def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    task = training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(
        labeled_data=validation_batches,
        metrics=[tl.Fn("Distance", lambda left, right: jnp.sum((left - right) ** 2))],
        n_eval_batches=2,
    )
    loop = training.Loop(
        model,
        task,
        eval_tasks=[eval_task],
        output_dir=folder,
    )
    return loop

# expects: The function returns a task. Put the tasks into a `training.Loop(...)`
def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    return training.TrainTask(
        labeled_data=train_batches,
        loss_layer=loss_layer,
        optimizer=trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
        n_steps_per_checkpoint=20,
    )

def rate(step, warmup):
    top = warmup + 1
    if step < top:
        return 0.01 * step / top
    return 0.01 * np.sqrt(top / step)


def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    train_task = training.TrainTask(
        train_batches,
        loss_layer,
        trax.optimizers.Adam(0.01, eps=1e-9),
        lr_schedule=lambda step: rate(step, warmup),
        n_steps_per_checkpoint=20,
    )
    eval_task = training.EvalTask(validation_batches, [loss_layer], n_eval_batches=2)
    return training.Loop(
        model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34
    )

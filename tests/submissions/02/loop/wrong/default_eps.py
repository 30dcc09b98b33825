# expects: Adam has Trax's default epsilon,
# Adam keeps its default epsilon of 1e-5 although the text asks for 1e-9, so a nearly collapsed model makes tiny steps
def training_loop(
    model, loss_layer, train_batches, validation_batches, folder, warmup=400
):
    schedule = trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)
    train_task = training.TrainTask(
        train_batches, loss_layer, trax.optimizers.Adam(0.01), schedule, n_steps_per_checkpoint=20
    )
    eval_task = training.EvalTask(validation_batches, [loss_layer], n_eval_batches=2)
    return training.Loop(model, train_task, eval_tasks=[eval_task], output_dir=folder, random_seed=34)

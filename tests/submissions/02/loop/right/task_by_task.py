def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    optimizer = trax.optimizers.Adam(learning_rate=0.01, eps=1e-9)
    schedule = trax.lr.warmup_and_rsqrt_decay(n_warmup_steps=warmup, max_value=0.01)
    learn = training.TrainTask(train_batches, loss_layer, optimizer, schedule, 20)
    measure = training.EvalTask(validation_batches, [loss_layer], n_eval_batches=2)
    loop = training.Loop(model, [learn], eval_tasks=measure, output_dir=folder, random_seed=34)
    return loop

from trax import lr, optimizers


def task_to_learn(batches, loss, warmup):
    adam = optimizers.Adam(0.01, eps=1e-9)
    schedule = lr.warmup_and_rsqrt_decay(warmup, 0.01)
    return training.TrainTask(batches, loss, adam, schedule, n_steps_per_checkpoint=20)


def task_to_measure(batches, loss):
    return training.EvalTask(batches, [loss], ["loss"], n_eval_batches=2)


def training_loop(net, loss, train, valid, directory, warmup=400):
    tasks = task_to_learn(train, loss, warmup)
    checks = (task_to_measure(valid, loss),)
    return training.Loop(net, tasks, eval_tasks=checks, output_dir=directory, random_seed=34)

"""Exercise 7: right training loops pass, known mistakes are named."""

import pytest

from siamese_course.exercises.quora_triplet import loop as loop_exercise
from siamese_course.models.questions_trax import cosine_triplet_loss, triplet_loss_layer
from siamese_course.runtime.trax_patch import training, trax

tl = trax.layers


def loop_of(task=None, evaluation=None, loop=None, finish=lambda loop: loop, tasks=None):
    """A training loop with options changed, by a dictionary or a function; None drops one."""

    def options(changed, given, default):
        changed = changed(*given) if callable(changed) else changed or {}
        return {name: value for name, value in {**default, **changed}.items() if value is not None}

    def make(model, layer, train, validation, folder, warmup=400):
        given = model, layer, train, validation, folder
        learn = training.TrainTask(
            **options(
                task,
                given,
                {
                    "labeled_data": train,
                    "loss_layer": layer,
                    "optimizer": trax.optimizers.Adam(0.01, eps=1e-9),
                    "lr_schedule": trax.lr.warmup_and_rsqrt_decay(warmup, 0.01),
                    "n_steps_per_checkpoint": 20,
                },
            )
        )
        measure = training.EvalTask(
            **options(
                evaluation,
                given,
                {"labeled_data": validation, "metrics": [layer], "n_eval_batches": 2},
            )
        )
        if tasks:
            return tasks(learn, measure)
        default = {"model": model, "tasks": learn, "eval_tasks": [measure]}
        more = {"output_dir": folder, "random_seed": 34}
        return finish(training.Loop(**options(loop, given, {**default, **more})))

    return make


def run_and_return_nothing(loop):
    return loop.run(1)


def run_already(loop):
    loop.run(1)
    return loop


def eval_task_as_of_old(model, layer, train, validation, folder):
    task = training.TrainTask(train, layer, trax.optimizers.Adam(0.01))
    eval_task = training.EvalTask(validation, [layer])
    return training.Loop(model, task, eval_task=eval_task, output_dir=folder)


def a_model_of_its_own(model, *_):
    return {"model": tl.Parallel(*[tl.Serial(tl.Embedding(50, 4), tl.Mean(axis=1))] * 2)}


RSQRT = trax.lr.warmup_and_rsqrt_decay

LOOPS = [
    (loop_of({"lr_schedule": RSQRT(400, 0.01)}), "warmup_fixed"),
    (lambda m, la, t, v, f: loop_of()(m, la, t, v, f), "no_warmup"),
    (loop_of(lambda m, layer, train, valid, f: {"labeled_data": valid}), "trains_on_validation"),
    (
        loop_of(lambda m, layer, train, valid, f: {"labeled_data": (b for b in train)}),
        "other_batches",
    ),
    (
        loop_of(lambda m, layer, train, valid, f: {"labeled_data": [next(train)]}),
        "trax",
    ),
    (
        loop_of({"loss_layer": triplet_loss_layer(0.5)}),
        "other_loss",
    ),
    (loop_of({"loss_layer": cosine_triplet_loss}), "trax"),
    (loop_of({"optimizer": trax.optimizers.SGD(0.01)}), "optimizer"),
    (loop_of({"optimizer": trax.optimizers.Adam}), "trax"),
    (loop_of({"lr_schedule": None}), "no_schedule"),
    (loop_of({"lr_schedule": RSQRT}), "trax"),
    (loop_of({"lr_schedule": RSQRT(400, 0.1)}), "highest_rate"),
    (loop_of({"lr_schedule": RSQRT(40, 0.01)}), "other_schedule"),
    (loop_of({"n_steps_per_checkpoint": None}), "checkpoint_steps"),
    (
        loop_of(None, lambda m, layer, train, valid, f: {"labeled_data": train}),
        "evaluates_on_training",
    ),
    (
        loop_of(None, lambda m, layer, train, valid, f: {"labeled_data": (b for b in valid)}),
        "other_eval_batches",
    ),
    (loop_of(None, {"metrics": []}), "trax"),
    (loop_of(None, lambda m, layer, *_: {"metrics": layer}), "trax"),
    (loop_of(None, {"metrics": [tl.L2Loss()]}), "other_metric"),
    (loop_of(None, {"n_eval_batches": None}), "eval_batches"),
    (loop_of(None, None, {"eval_tasks": None}), "no_eval_task"),
    (loop_of(None, None, {"output_dir": None}), "no_checkpoint"),
    (loop_of(None, None, a_model_of_its_own), "other_model"),
    (loop_of(finish=run_and_return_nothing), "has_run"),
    (loop_of(finish=run_already), "has_run"),
    (loop_of(finish=lambda loop: (loop,)), "type"),
    (loop_of(tasks=lambda learn, measure: learn), "task"),
    (loop_of(tasks=lambda learn, measure: [learn, measure]), "type"),
    (lambda model, *_: model, "type"),
    (eval_task_as_of_old, "trax"),
]


@pytest.mark.parametrize(("answer", "tag"), LOOPS, ids=range(len(LOOPS)))
def test_loop_mistakes_are_named(answer, tag):
    result = loop_exercise.check(answer)
    assert not result.passed
    assert result.tags[0] == tag


def loop_step_by_step(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    schedule = trax.supervised.lr_schedules.warmup_and_rsqrt_decay(
        n_warmup_steps=warmup, max_value=0.01
    )
    task = training.TrainTask(
        train_batches, loss_layer, trax.optimizers.Adam(learning_rate=0.01, eps=1e-8), schedule, 20
    )
    check = training.EvalTask(validation_batches, [loss_layer], n_eval_batches=2)
    return training.Loop(model, [task], eval_tasks=check, output_dir=folder, random_seed=34)


def loop_with_a_schedule_by_hand(model, layer, train, validation, folder, warmup=400):
    def schedule(step):
        return 0.01 * min(step / warmup, (warmup / max(step, 1)) ** 0.5)

    make = loop_of({"lr_schedule": schedule})
    return make(model, layer, train, validation, folder)


RIGHT = [
    (loop_step_by_step,),
    (loop_with_a_schedule_by_hand,),
    (loop_of({"loss_name": "loss"}, {"metric_names": ["loss"]}),),
]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = loop_exercise.check(*answers)
    assert result.passed, str(result)

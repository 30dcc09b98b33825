"""Exercise 7 of notebook 02: the training loop."""

import numpy as np

from siamese_course.exercises import observe
from siamese_course.exercises.engine import Exercise, Part, Wrong, is_hidden
from siamese_course.runtime.trax_patch import training, trax

STEPS = (1, 100, 400, 1600)


def training_loop(model, loss_layer, train_batches, validation_batches, folder, warmup=400):
    """TrainTask, EvalTask and Loop, not yet run."""
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


def _case():
    return STEPS, 150 if is_hidden() else 100


def _test_tasks(seen, steps, warmup):
    if not seen["trains the model"]:
        raise Wrong("The Loop trains a different model from the one it was given.", "other_model")
    if seen["learns from"] == "validation":
        raise Wrong(
            "The TrainTask learns from the validation batches. Give it the training ones.",
            "trains_on_validation",
        )
    if seen["learns from"] != "training":
        raise Wrong("The TrainTask does not use `train_batches`.", "other_batches")
    if not seen["uses the loss"]:
        raise Wrong("The TrainTask does not use the argument `loss_layer`.", "other_loss")
    _require_optimizer(seen)
    _require_schedule(seen["rates"])
    _require_evaluation(seen)
    _require_warmup(seen["rates"], seen["rates of another warmup"], steps, warmup)
    if seen["keeps"]:
        raise Wrong(
            "Called again with another model, loss layer, and batches, the function still uses some from the first call. "
            "Use the arguments.",
            "kept",
        )
    if not seen["starts alike"]:
        raise Wrong(
            "Two Loops start with different random numbers: give the Loop `random_seed=34`.",
            "no_seed",
        )


def _require_optimizer(seen):
    if seen["optimizer"] != "Adam":
        raise Wrong(
            f"The optimizer is {seen['optimizer']}; expected `trax.optimizers.Adam(0.01, eps=1e-9)`.",
            "optimizer",
        )
    if np.isclose(seen["epsilon"], 1e-5):
        raise Wrong(
            "Adam has Trax's default epsilon, 1e-05. The gradients of a collapsed network are smaller than that, so it "
            "would hardly move. Use `trax.optimizers.Adam(0.01, eps=1e-9)`.",
            "epsilon",
        )
    if not 0 < seen["epsilon"] <= 1e-7:
        raise Wrong(f"Adam's epsilon is {seen['epsilon']:g}; expected 1e-09.", "other_epsilon")
    if not np.allclose(seen["decays"], (0.9, 0.999)):
        raise Wrong(
            f"Adam has b1 and b2 = {seen['decays']}. Leave them out: `trax.optimizers.Adam(0.01, eps=1e-9)`.",
            "decays",
        )
    if seen["clips"]:
        raise Wrong(
            "The optimizer clips the gradients (`clip_grad_norm`). Leave that out: `trax.optimizers.Adam(0.01, "
            "eps=1e-9)`.",
            "clipped",
        )


def _require_schedule(rates):
    wanted = trax.lr.warmup_and_rsqrt_decay(400, 0.01)
    if np.allclose(rates, [wanted(step) for step in STEPS], rtol=0.01):
        return
    if len(set(rates)) == 1:
        raise Wrong(
            f"The learning rate is {rates[0]:g} at every step: the schedule is missing, `lr_schedule=`. An LSTM that "
            "starts at the full learning rate can collapse right away.",
            "no_schedule",
        )
    relative = [wanted(step) / wanted(1) for step in STEPS]
    if np.allclose(np.array(rates) / rates[0], relative, rtol=0.01):
        raise Wrong(
            f"The highest learning rate of the schedule is {0.01 * rates[0] / wanted(1):.3g}; expected 0.01.",
            "highest_rate",
        )
    raise Wrong(
        "The schedule is a different one; expected `trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)`.",
        "other_schedule",
    )


def _require_evaluation(seen):
    if not seen["measures on"]:
        raise Wrong(
            "There is no EvalTask: without it you would not see how the model does on new questions.",
            "no_eval_task",
        )
    if seen["measures on"][0] == "training":
        raise Wrong(
            "The EvalTask uses the training batches. Only other batches show whether a model has learned.",
            "evaluates_on_training",
        )
    if seen["measures on"][0] != "validation":
        raise Wrong("The EvalTask does not use `validation_batches`.", "other_eval_batches")
    if not seen["measures the loss"]:
        raise Wrong(
            "The EvalTask does not measure the argument `loss_layer`: `metrics=[loss_layer]`.",
            "other_metric",
        )
    if seen["saves every"] != 20:
        raise Wrong(
            f"The Loop reports and saves every {seen['saves every']} steps; expected every 20, "
            "`n_steps_per_checkpoint=20`.",
            "checkpoint_steps",
        )
    if seen["batches"] != 2:
        raise Wrong(
            f"The EvalTask uses {seen['batches']} batch(es); expected two, `n_eval_batches=2`.",
            "eval_batches",
        )


def _require_warmup(before, rates, steps, warmup):
    if rates is None:
        raise Wrong(
            "The function has no argument `warmup`, but the notebook passes one. Add `warmup=400` at the end.",
            "no_warmup",
        )
    wanted = [trax.lr.warmup_and_rsqrt_decay(warmup, 0.01)(step) for step in steps]
    if np.allclose(rates, wanted, rtol=0.02):
        return
    if np.allclose(rates, before):
        raise Wrong(
            "The learning rate does not depend on the argument `warmup`. Use it in the schedule; 400 is only its default.",
            "warmup_fixed",
        )
    found, expected = ([float(f"{rate:.3g}") for rate in each] for each in (rates, wanted))
    raise Wrong(
        f"With warmup={warmup} the learning rates at steps {list(steps)} are {found}; expected {expected}.",
        "warmup",
    )


def _test_step(seen):
    if seen["step"] != 1 or not seen["drawn"]:
        raise Wrong("`loop.run(1)` did not train a step.", "no_step")
    if not seen["checkpoint"]:
        raise Wrong(
            "There is no checkpoint in the folder: give the Loop `output_dir=folder`, or an interrupted training run "
            "is lost.",
            "no_checkpoint",
        )


loop = Exercise(
    name="02.loop",
    title="Training loop",
    parts=[
        Part(4, _test_tasks, look=observe.trax_tasks, case=_case),
        Part(3, _test_step, look=observe.trax_step),
    ],
    reference=[training_loop],
    hints=(
        "Three objects: a TrainTask says what to learn from and how, an EvalTask what to measure on new data, and the "
        "Loop applies both to the model and keeps checkpoints.",
        "The optimizer is `trax.optimizers.Adam(0.01, eps=1e-9)`, the schedule `trax.lr.warmup_and_rsqrt_decay(warmup, "
        "0.01)`; the metric of the EvalTask is the loss layer itself; the folder is the `output_dir` of the Loop.",
        "`train_task = training.TrainTask(labeled_data=..., loss_layer=..., optimizer=..., lr_schedule=..., "
        "n_steps_per_checkpoint=...)`, `eval_task = training.EvalTask(labeled_data=..., metrics=[...], "
        "n_eval_batches=...)`, `return training.Loop(model, train_task, eval_tasks=[...], output_dir=..., "
        "random_seed=...)`.",
    ),
)

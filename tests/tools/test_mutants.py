"""Small changes of right answers: are they made, and do the checks notice them?"""

import time

import pytest

from tools import mutants

SOURCE = """
def loss(targets, embeddings, margin=1.0):
    '''A docstring with 1 number.'''
    near = ops.sum(embeddings[:, 0], axis=-1)
    if margin < 2:
        near = near - margin
    return ops.maximum(0.0, near)
"""
GENERATOR = """
def batches(rows, size):
    while True:
        yield rows[:size], rows[size:]
"""


def test_changes_are_small_and_different_from_each_other():
    made = dict(mutants.changes(SOURCE, trained=True))
    assert len(made) == len(set(made.values()))
    told = "\n".join(made)
    for change in (
        "1.0 -> 1.5",
        "-1 -> 1",
        "Lt -> LtE",
        "Sub -> Add",
        "ops.maximum(0.0, near) -> ops.minimum(0.0, near)",
        "ops.sum(embeddings[:, 0], axis=-1) -> ops.sum(embeddings[:, 0])",
        "near = near - margin -> pass",
        "near -> _stopped(near)",
        "near -> _in_numpy(near)",
        "_spoiled(embeddings)",
    ):
        assert change in told
    assert "_stopped(margin)" not in told
    assert "_first('loss.targets'" not in told  # the body does not use it
    assert "docstring" not in told
    for source in made.values():
        compile(source, "mutant", "exec")


def test_a_generator_fills_the_same_buffer_again():
    made = dict(mutants.changes(GENERATOR, trained=False))
    (source,) = [source for change, source in made.items() if "_reused(" in change]
    space = dict(mutants.HELPERS)
    exec(source, space)
    import numpy as np

    batches = space["batches"](np.arange(4), 2)
    assert next(batches)[0] is next(batches)[0]


def test_an_argument_keeps_its_first_value_as_a_global_would():
    made = dict(mutants.changes("def shift(x, by=1.0):\n    return x + by\n", trained=False))
    (source,) = [source for change, source in made.items() if "_first('shift.by', by)" in change]
    space = dict(mutants.HELPERS)
    exec(source, space)
    mutants._firsts.clear()
    assert [space["shift"](1, 2.0), space["shift"](1, 3.0)] == [3.0, 3.0]


def test_a_narrower_type_counts_where_it_changes_a_value():
    import numpy as np

    for values, changed in (([0.0, 1.0], False), ([0.1, 1.0], True)):
        mutants.touched.clear()
        mutants._narrow(np.array(values))
        assert bool(mutants.touched) == changed


def test_a_mutant_that_only_waits_is_not_too_late():
    with mutants.time_limit(0.1):
        time.sleep(0.2)
    with pytest.raises(mutants.Late), mutants.time_limit(0.1):
        while True:
            pass


def test_every_judgment_names_exercises_that_exist_and_has_a_reason():
    known = {f"{path.parts[-2]}.{path.name}" for path in mutants.ANSWERS.glob("0?/*")}
    for rule in mutants.equivalents():
        assert set(rule) <= {"exercise", "answer", "change", "reason"}
        assert any(mutants.fnmatch.fnmatch(name, rule["exercise"]) for name in known)
        assert len(rule["reason"].split()) > 3


def test_the_table_counts_and_says_whether_it_is_enough():
    def mutant(status, tag="value"):
        return mutants.Mutant("01.knn", "solution", "a -> b", status, tag)

    text, enough = mutants.table([mutant("killed")] * 39 + [mutant("equivalent"), mutant("idle")])
    assert enough
    assert "100.0%" in text
    text, enough = mutants.table([mutant("killed")] * 30 + [mutant("survived")] * 2)
    assert not enough
    assert "93.8%" in text


def test_the_table_says_whose_words_name_the_mistake():
    texts = [
        "`NameError` in line 2: name 'x' is not defined",
        "f() missing 1 required argument",
        "bad",
    ]
    found = [
        mutants.Mutant("01.knn", "solution", "a -> b", "killed", tag, text)
        for tag, text in [("sign", ""), ("value", ""), *(("error", text) for text in texts)]
    ]
    text, _ = mutants.table(found)
    assert "20% of the messages name the mistake in our words, 40% in Python's" in text
    assert "20% are another error" in text


def test_a_quick_check_does_not_wait_long_for_a_mutant():
    from siamese_course.exercises.mnist_contrastive import EXERCISES

    (exercise,) = [each for each in EXERCISES if each.name == "01.one_shot"]
    assert 1 < mutants.patience(exercise, exercise.reference) < mutants.SECONDS


def test_a_mutant_has_the_time_that_its_answer_takes_to_compile():
    from siamese_course.exercises.mnist_contrastive import EXERCISES

    (exercise,) = [each for each in EXERCISES if each.name == "01.one_shot"]
    choose, verify = exercise.reference
    compiled = []

    def compiles(*arguments):
        end = time.process_time() + 0.8
        while not compiled and time.process_time() < end:
            pass
        compiled.append(True)
        return choose(*arguments)

    assert mutants.patience(exercise, [compiles, verify]) > 1.6


def test_a_sample_of_mutants_is_noticed():
    found = mutants.run("01.distance", most=40)
    text, _ = mutants.table(found)
    assert sum(mutant.status in ("survived", "instructor") for mutant in found) <= 2, text

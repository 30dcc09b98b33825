"""Exercise 10: right ways to deal rows pass, known mistakes are named."""

import numpy as np
import pytest

from siamese_course.exercises.quora_triplet import false_negatives


def dealt(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = max(-(-len(groups) // batch_size), np.unique(groups, return_counts=True)[1].max())
    return [order[start::count] for start in range(count)]


def first_fit(groups, batch_size, rng):
    batches = []
    for row in rng.permutation(len(groups)):
        for batch in batches:
            if len(batch) < batch_size and groups[row] not in groups[batch]:
                batch.append(row)
                break
        else:
            batches.append([row])
    return batches


def with_sets(groups, batch_size, rng):
    waiting, batches = rng.permutation(len(groups)).tolist(), []
    while waiting:
        seen, batch = set(), []
        for row in waiting:
            if groups[row] not in seen and len(batch) < batch_size:
                seen.add(groups[row])
                batch.append(row)
        batches.append(batch)
        waiting = [row for row in waiting if row not in batch]
    return batches


def as_tuple(groups, batch_size, rng):
    return tuple(dealt(groups, batch_size, rng))


@pytest.mark.parametrize("answer", [dealt, first_fit, with_sets, as_tuple])
def test_a_right_answer_passes(answer):
    result = false_negatives.check(answer)
    assert result.passed, str(result)
    assert false_negatives.grade(7, answer).passed


def random_batches(groups, batch_size, rng):
    return np.array_split(rng.permutation(len(groups)), -(-len(groups) // batch_size))


def too_few_batches(groups, batch_size, rng):
    order = rng.permutation(len(groups))
    order = order[np.argsort(groups[order], kind="stable")]
    count = -(-len(groups) // batch_size)
    return [order[start::count] for start in range(count)]


def not_sorted(groups, batch_size, rng):
    return [
        rng.permutation(len(groups))[start :: len(groups) // batch_size]
        for start in range(len(groups) // batch_size)
    ]


def one_of_each(groups, batch_size, rng):
    rows = rng.permutation(np.unique(groups, return_index=True)[1])
    return [rows[start : start + batch_size] for start in range(0, len(rows), batch_size)]


def group_numbers(groups, batch_size, rng):
    return [groups[batch] for batch in dealt(groups, batch_size, rng)]


def one_row_a_batch(groups, batch_size, rng):
    return [[row] for row in rng.permutation(len(groups))]


def one_batch(groups, batch_size, rng):
    return [rng.permutation(len(groups))]


def rest_dropped(groups, batch_size, rng):
    return dealt(groups, batch_size, rng)[:-1]


def own_randomness(groups, batch_size, rng):
    return dealt(groups, batch_size, np.random)


def never_shuffled(groups, batch_size, rng):
    return dealt(groups, batch_size, np.random.default_rng(0))


def shuffles_groups(groups, batch_size, rng):
    rng.shuffle(groups)
    return dealt(groups, batch_size, rng)


MISTAKES = [
    (random_batches, "false_negatives"),
    (too_few_batches, "false_negatives"),
    (not_sorted, "rows_twice"),
    (one_of_each, "one_per_group"),
    (group_numbers, "groups"),
    (one_row_a_batch, "many_batches"),
    (one_batch, "too_large"),
    (rest_dropped, "rows_missing"),
    (own_randomness, "other_randomness"),
    (never_shuffled, "not_shuffled"),
    (shuffles_groups, "groups_changed"),
    (lambda *arguments: iter(dealt(*arguments)), "generator"),
    (lambda *arguments: (batch for batch in dealt(*arguments)), "generator"),
    (lambda *arguments: np.concatenate(dealt(*arguments)), "type"),
    (lambda *arguments: [batch.astype(float) for batch in dealt(*arguments)], "no_integers"),
    (lambda groups, *_: [groups == g for g in np.unique(groups)], "no_integers"),
    (lambda *arguments: [], "no_batches"),
]


@pytest.mark.parametrize(("answer", "tag"), MISTAKES, ids=range(len(MISTAKES)))
def test_a_known_mistake_is_named(answer, tag):
    result = false_negatives.check(answer)
    assert not result.passed
    assert result.tags[0] == tag

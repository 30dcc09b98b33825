"""Exercise 3: what is wrong with an episode is named."""

import numpy as np
import pytest

from siamese_course.exercises.omniglot_one_shot import episode


def drawn(
    alphabet=lambda names, counts, ways, rng: rng.choice(names[counts >= ways]),
    characters=lambda rows, ways, rng: rng.choice(rows, ways, replace=False),
    drawers=lambda drawings, count, rng: rng.choice(drawings, count, replace=False),
    shuffle=lambda asked, rng: rng.permutation(asked),
    finish=lambda support, asked: (support, asked[:, :2], asked[:, 2]),
):
    """An episode with one thing changed."""

    def answer(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
        names, counts = np.unique(alphabets, return_counts=True)
        rows = np.flatnonzero(alphabets == alphabet(names, counts, ways, rng))
        chosen = characters(rows, ways, rng)
        people = drawers(drawings, shots + queries, rng)
        support = np.array([[(c, d) for d in people[:shots]] for c in chosen])
        asked = np.array([(c, d, i) for i, c in enumerate(chosen) for d in people[shots:]])
        return finish(support, shuffle(asked, rng))

    return answer


def each_its_own_drawers(alphabets, rng, ways=20, shots=1, queries=1, drawings=20):
    support, asked, answers = drawn()(alphabets, rng, ways, shots, queries, drawings)
    for row in range(ways):
        people = rng.choice(drawings, shots + queries, replace=False)
        support[row, :, 1] = people[:shots]
        asked[answers == row, 1] = people[shots:]
    return support, asked, answers


def mixed_alphabets(alphabets, *rest, **sizes):
    return drawn()(np.zeros(len(alphabets), int), *rest, **sizes)


def other_defaults(alphabets, rng, ways=5, shots=1, queries=1, drawings=20):
    return drawn()(alphabets, rng, ways, shots, queries, drawings)


WRONG = [
    (mixed_alphabets, "mixed_alphabets"),
    (each_its_own_drawers, "support_drawers"),
    (other_defaults, "defaults"),
    (drawn(alphabet=lambda names, *_: names[-1]), "few_characters"),
    (drawn(characters=lambda rows, ways, rng: rows[:ways]), "few_characters"),
    (drawn(characters=lambda rows, ways, rng: rng.choice(rows, ways)), "repeated_class"),
    (drawn(drawers=lambda drawings, count, rng: np.arange(count)), "few_drawers"),
    (drawn(drawers=lambda drawings, count, rng: rng.choice(drawings, count)), "leak"),
    (drawn(shuffle=lambda asked, rng: asked), "queries_in_order"),
    (drawn(finish=lambda s, a: (s, a[:, :2])), "no_triple"),
    (drawn(finish=lambda s, a: (s, a[:, :2], a[:, 0])), "answers_are_characters"),
    (drawn(finish=lambda s, a: (s[:, 0], a[:, :2], a[:, 2])), "flat"),
    (drawn(finish=lambda s, a: (s.reshape(-1, 2), a[:, :2], a[:, 2])), "flat"),
    (drawn(finish=lambda s, a: (s, a[:, :2], a[::-1, 2])), "wrong_answers"),
    (drawn(finish=lambda s, a: (s * 1.0, a[:, :2], a[:, 2])), "floats"),
    (drawn(finish=lambda s, a: ((s * 1.0).tolist(), a[:, :2], a[:, 2])), "floats"),
    (drawn(finish=lambda s, a: (s[..., ::-1], a[:, 1::-1], a[:, 2])), "no_indices"),
    (drawn(finish=lambda s, a: (s, s[a[:, 2], 0], a[:, 2])), "leak"),
]


@pytest.mark.parametrize(("answer", "tag"), WRONG, ids=lambda value: str(value)[:20])
def test_a_wrong_episode_is_named(answer, tag):
    result = episode.check(answer)
    assert not result.passed
    assert tag in result.tags, result.messages


def test_an_episode_in_loops_passes():
    assert episode.check(drawn()).passed


def test_a_support_in_the_order_of_the_characters_passes():
    def ascending(rows, ways, rng):
        return np.sort(rng.choice(rows, ways, replace=False))

    result = episode.check(drawn(characters=ascending))
    assert result.passed, str(result)

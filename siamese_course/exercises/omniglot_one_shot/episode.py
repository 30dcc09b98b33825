"""Exercise 3 of notebook 04: N-way K-shot episodes."""

import numpy as np

from siamese_course.batching.episodes import draw_episode
from siamese_course.exercises.cases import require_own_order
from siamese_course.exercises.engine import (
    Exercise,
    Part,
    Wrong,
    as_array,
    is_hidden,
    require_returned,
    require_shape,
    seeded,
)


def _alphabets(seed=0):
    """Alphabets of different sizes, in no order, with gaps in their numbers; the first is too small for most."""
    rng = seeded(seed)
    names = 2 * np.arange(6 + is_hidden()) + 3
    return rng.permutation(np.repeat(names, [3, *rng.integers(7, 12, len(names) - 1)]))


def _episode(answer, alphabets, ways, shots, queries, drawings=20, seed=0):
    """(support, query, answers) as arrays of integers; raises ``Wrong`` where the form is wrong."""
    given = alphabets.copy()
    sizes = {"ways": ways, "shots": shots, "queries": queries, "drawings": drawings}
    made = answer(given, seeded(seed), **sizes)
    require_returned(made)
    if not isinstance(made, tuple | list) or len(made) != 3:
        raise Wrong("Return three arrays: `return support, queries, answers`.", "no_triple")
    if not np.array_equal(given, alphabets):
        raise Wrong("Your code changes `alphabets`. Work on a copy.", "changed")
    names = "support", "queries", "answers"
    arrays = [as_array(each, f"`{name}`") for name, each in zip(names, made, strict=True)]
    for name, each in zip(names, made, strict=True):
        if np.size(each) and np.asarray(each).dtype.kind == "f":
            raise Wrong(f"`{name}` contains floats, which cannot index an array.", "floats")
    known = {
        (ways * shots, 2): ("`support` is flat. One row for each class: (ways, shots, 2).", "flat")
    }
    if shots == 1:
        known[(ways, 2)] = (
            "`support` is missing the axis for shots: (ways, shots, 2), even for one shot.",
            "flat",
        )
    require_shape(arrays[0], (ways, shots, 2), known, "`support`")
    known = {
        (ways, queries, 2): (
            "`queries` has a row for each class, which gives the answers away. Make it (ways * queries, 2), shuffled.",
            "queries_by_class",
        )
    }
    require_shape(arrays[1], (ways * queries, 2), known, "`queries`")
    require_shape(arrays[2], (ways * queries,), None, "`answers`")
    support, query, answers = (array.astype(int) for array in arrays)
    for name, pairs in (("support", support), ("queries", query)):
        for axis, what, limit in ((0, "character", len(alphabets)), (1, "drawing", drawings)):
            low, high = pairs[..., axis].min(), pairs[..., axis].max()
            if low < 0 or high >= limit:
                raise Wrong(
                    f"`{name}[..., {axis}]` must be the index of a {what}, 0 to {limit - 1}; it goes from {low} to {high}.",
                    "no_indices",
                )
    return support, query, answers


def _require_episode(answer, alphabets, ways, shots, queries, drawings=20, seed=0):
    """An episode that keeps the rules."""
    support, query, answers = _episode(answer, alphabets, ways, shots, queries, drawings, seed)
    characters = support[:, 0, 0]
    if (support[:, :, 0] != characters[:, None]).any():
        raise Wrong(
            "A row of `support` mixes characters. Each row must have one character.", "mixed"
        )
    if len(np.unique(characters)) < ways:
        raise Wrong(
            f"The episode has {len(np.unique(characters))} different characters; expected {ways}. Draw them with "
            "`replace=False`.",
            "repeated_class",
        )
    if len(found := np.unique(alphabets[characters])) > 1:
        raise Wrong(
            f"The characters come from {len(found)} alphabets. Within one alphabet it is harder, and that is the test: "
            "draw an alphabet first.",
            "mixed_alphabets",
        )
    if answers.min() < 0 or answers.max() >= ways:
        raise Wrong(
            f"`answers` must contain row numbers of `support`, 0 to {ways - 1}; it goes from {answers.min()} to "
            f"{answers.max()}. Are these indices of characters?",
            "answers_are_characters",
        )
    if (np.bincount(answers, minlength=ways) != queries).any():
        raise Wrong(
            f"Every character must occur {queries} time(s) in the queries.", "queries_per_class"
        )
    if (query[:, 0] != characters[answers]).any():
        raise Wrong(
            "An answer points to a row of `support` with a different character from the query's. Keep queries "
            "and answers in the same order, even with several queries for a character, and shuffle them together.",
            "wrong_answers",
        )
    drawers = np.unique(support[..., 1])
    both = np.concatenate([support.reshape(-1, 2), query])
    if (both[: ways * shots, None] == query).all(axis=-1).any():
        raise Wrong(
            "A drawing is in support *and* queries: recognizing the same drawing is not a test.",
            "leak",
        )
    if len(np.unique(support.reshape(-1, 2), axis=0)) < ways * shots:
        raise Wrong("A drawing occurs twice in the support.", "twice")
    if len(np.unique(query, axis=0)) < ways * queries:
        raise Wrong("A drawing occurs twice among the queries.", "twice")
    if len(drawers) > shots:
        raise Wrong(
            f"The support comes from {len(drawers)} drawers. All characters of the support must be drawn by the same "
            f"{shots}: draw the drawers once, not for each character.",
            "support_drawers",
        )
    if np.isin(query[:, 1], drawers).any():
        raise Wrong(
            "A drawer of the support also appears in the queries. Use other drawers for the queries.",
            "drawer",
        )
    if len(np.unique(query[:, 1])) > queries:
        raise Wrong(
            f"The queries come from {len(np.unique(query[:, 1]))} drawers; expected the same {queries} for all characters.",
            "query_drawers",
        )
    return support, query, answers


def _test_form(answer):
    for seed, (ways, shots, queries) in enumerate([(5, 1, 2), (4, 3, 1), (6, 2, 3), (7, 1, 1)]):
        _require_episode(answer, _alphabets(seed), ways, shots, queries, seed=seed)
    for alphabets, sizes in (
        (np.array([4, 4, 4, 9]), (3, 1, 1, 2)),  # all there is
        (np.repeat(np.arange(3, dtype="uint8"), 4), (2, 2, 3, 5)),
        (np.array([7]), (1, 2, 2, 4)),
    ):
        for seed in range(4):
            _require_episode(answer, alphabets, *sizes, seed=seed)


def _test_random(answer):
    alphabets = _alphabets(7)

    def order(seed):
        made = _require_episode(answer, alphabets, 5, 1, 3, seed=(0, 3)[seed])
        return [array.tolist() for array in made]

    require_own_order(order)
    held = [
        answer(alphabets.copy(), seeded(seed), ways=4, shots=1, queries=1, drawings=9)
        for seed in (0, 1)
    ]
    first = [np.array(each) for each in held[0]]
    answer(alphabets.copy(), seeded(2), ways=4, shots=1, queries=1, drawings=9)
    if not all(np.array_equal(a, b) for a, b in zip(first, held[0], strict=True)):
        raise Wrong(
            "A later call changes what an earlier call returned: make a new array in each call.",
            "reused",
        )
    small = np.repeat([3, 8, 5], 4)
    drawn = [_require_episode(answer, small, 3, 1, 2, 6, seed) for seed in range(150)]
    used = np.unique([support[:, 0, 0] for support, _, _ in drawn])
    if len(used) < len(small):
        raise Wrong(
            f"In 150 episodes, {len(small) - len(used)} of {len(small)} characters never occur. Draw the alphabet, and "
            "then its characters, from all that are large enough.",
            "few_characters",
        )
    for name, side in (("support", 0), ("queries", 1)):
        if len(np.unique([episode[side][..., 1] for episode in drawn])) < 6:
            raise Wrong(
                f"In 150 episodes, some drawers never draw the {name}. Draw the drawers at random.",
                "few_drawers",
            )
    orders = {tuple(answers) for _, _, answers in drawn}
    if len(orders) < 20:
        raise Wrong(
            "The queries are in the same order in every episode, so their position gives the answer away. Shuffle "
            "them.",
            "queries_in_order",
        )
    # By chance, the first three of six queries have one drawer in one episode of ten, and the first two one character
    # in one of five
    for what, blocks in (
        ("drawer", [query[:3, 1] for _, query, _ in drawn]),
        ("character", [answers[:2] for _, _, answers in drawn]),
    ):
        if sum(len(set(block.tolist())) == 1 for block in blocks) > 90:
            raise Wrong(
                f"The queries come in blocks, those of one {what} after those of another. Shuffle all of them "
                "together.",
                "queries_in_blocks",
            )


def _test_defaults(answer):
    """The defaults are those of the official runs."""
    support, query, answers = answer(np.repeat([1, 4], [22, 25]), seeded(1))
    shapes = [tuple(np.shape(each)) for each in (support, query, answers)]
    if shapes != [(20, 1, 2), (20, 2), (20,)]:
        raise Wrong(
            f"Without sizes, the shapes are {shapes}; the defaults are ways=20, shots=1, queries=1, drawings=20.",
            "defaults",
        )
    drawers = [
        np.asarray(answer(np.repeat(1, 20), seeded(seed))[0])[0, 0, 1] for seed in range(200)
    ]
    if max(drawers) != 19:
        raise Wrong("The default is `drawings=20`.", "defaults")


episode = Exercise(
    name="04.episode",
    title="Episodes",
    parts=[
        Part(7, _test_form),
        Part(4, _test_random),
        Part(2, _test_defaults),
    ],
    reference=[draw_episode],
    hints=(
        "Draw, in this order: an alphabet that has enough characters, the characters, the drawers of the support and "
        "others for the queries. Then put the queries into a random order, and remember which row each belongs to.",
        "`np.unique(alphabets, return_counts=True)` gives the sizes. Draw everything with `rng.choice(..., replace=False)`. "
        "A pair (character, drawing) for every combination: two loops, or `np.stack` of broadcast arrays.",
        "`support = [[(c, d) for d in drawers[:shots]] for c in characters]`; the queries are "
        "`[(c, d, row) for row, c in enumerate(characters) for d in drawers[shots:]]`, in the order of `rng.permutation`.",
    ),
)

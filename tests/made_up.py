"""Made-up questions for tests: three splits that share no topic, and pairs of numbered questions."""

from itertools import combinations

import numpy as np

from siamese_course.datasets.quora import QuestionData
from siamese_course.sources.question_pairs import QuestionPairs

FORMS = ("How do I {} a {}?", "What is the best way to {} a {}?", "Please, how can one {} a {}")


TOPICS = [
    (verb, thing)
    for verb in ("bake", "paint", "sell", "mend", "clean", "draw")
    for thing in ("cake", "chair", "boat", "house", "café")
]


def made_up_pairs(topics, seed=0):
    """Every pair inside a topic, and twice as many of two topics."""
    questions = [form.format(*topic) for topic in topics for form in FORMS]
    both = list(combinations(range(len(questions)), 2))
    duplicates = [(a, b) for a, b in both if a // len(FORMS) == b // len(FORMS)]
    others = [(a, b) for a, b in both if a // len(FORMS) != b // len(FORMS)]
    chosen = np.random.default_rng(seed).choice(len(others), 2 * len(duplicates), replace=False)
    pairs = np.array(duplicates + [others[row] for row in chosen])
    return QuestionPairs(
        [questions[n] for n in pairs[:, 0]],
        [questions[n] for n in pairs[:, 1]],
        np.repeat(np.array([1, 0], "int8"), [len(duplicates), len(chosen)]),
        pairs[:, 0],
        pairs[:, 1],
    )


def made_up_data():
    splits = (TOPICS[:20], TOPICS[20:25], TOPICS[25:])
    return QuestionData(*map(made_up_pairs, splits), [], "made up")


def pairs_of(links, same=None, question="question {}".format):
    """Pairs of question numbers as ``QuestionPairs``."""
    left, right = np.array(links, "int64").reshape(-1, 2).T
    same = np.ones(len(left)) if same is None else same
    return QuestionPairs(
        [question(n) for n in left],
        [question(n) for n in right],
        np.array(same, "int8"),
        left,
        right,
    )


def as_set(pairs):
    """Numbers and label of each pair, sorted."""
    return sorted(zip(pairs.qid1.tolist(), pairs.qid2.tolist(), pairs.same.tolist(), strict=True))


def texts(*splits):
    """All questions of some splits."""
    return {question for pairs in splits for question in (*pairs.question1, *pairs.question2)}

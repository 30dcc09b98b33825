"""How fast input is made: text to ids, and batches of each recipe, without a model behind them."""

import time
from collections.abc import Callable

import numpy as np

from benchmarks.common import fingerprint


def course(what: str, count: int) -> dict:
    """The course's way."""
    return MAKERS[what](count, True)


def other(what: str, count: int) -> dict:
    """The classic recipe's, or a peer's."""
    return MAKERS[what](count, False)


def prepare(what: str, count: int) -> dict:
    """The tokenizer that only one of them needs."""
    from benchmarks import agreement

    return agreement.prepare(count=count) if what == "sentences" else {}


def rate(unit: str, count: int, make: Callable[[], int], *data) -> dict:
    """So many things a second; ``make`` makes some and says how many, until there are ``count``."""
    made, started = 0, time.perf_counter()
    while made < count:
        made += make()
    return {f"{unit}/s": made / (time.perf_counter() - started), "data": fingerprint(*data)}


def words(count: int, is_course: bool) -> dict:
    """Questions to ids: lower-cased words, or nltk's tokens."""
    from siamese_course.batching import tokens
    from siamese_course.datasets import punkt
    from siamese_course.datasets.quora import load_questions

    questions = load_questions(verbose=False).train.question1[:count]
    if is_course:
        tokenize = tokens.simple_tokenizer
    else:
        tokenize = tokens.word_tokenizer(sentence_data=punkt.prepare())

    tokenize(questions[0])  # loads what it needs

    def make():
        vocabulary = tokens.build_vocabulary(questions, tokenize)
        return len(tokens.encode(questions, vocabulary, tokenize))

    return rate("questions", len(questions), make, questions)


def question_batches(count: int, is_course: bool) -> dict:
    """Batches of encoded question pairs: grouped and of similar length, or as they come."""
    from siamese_course.batching import tokens
    from siamese_course.batching.questions import BATCH_SIZE, classic_batches
    from siamese_course.datasets import quora
    from siamese_course.datasets.question_splits import components
    from siamese_course.recipes.question_batches import course_batches

    pairs = quora.load_questions(verbose=False).train
    pairs = pairs.take(np.arange(min(count, len(pairs))))
    tokenize = tokens.simple_tokenizer
    vocabulary = tokens.build_vocabulary(pairs.question1 + pairs.question2, tokenize)
    sides = [
        tokens.encode(side, vocabulary, tokenize) for side in (pairs.question1, pairs.question2)
    ]
    rng, batch = np.random.default_rng(0), min(BATCH_SIZE, len(pairs))
    if is_course:
        groups = components(pairs, duplicates_only=True)
        generator = (same for _, same in course_batches(*sides, pairs.same, groups, rng, batch))
    else:
        generator = (left for left, _ in classic_batches(*sides, batch, rng=rng))
    return rate("pairs", count, lambda: len(next(generator)), pairs.question1, pairs.question2)


def image_batches(count: int, is_course: bool) -> dict:
    """Batches of images: moved by up to a pixel, or pairs as they are."""
    from siamese_course.batching import images as batching
    from siamese_course.datasets import mnist
    from siamese_course.recipes.images import CLASSIC_BATCH, COURSE_BATCH

    digits = mnist.load_mnist(verbose=False)
    images, labels, rng = digits.train_images, digits.train_labels, np.random.default_rng(0)

    def make():
        if is_course:
            batches = batching.all_pairs_batches(images, labels, COURSE_BATCH, rng)
            return sum(len(batching.shift_images(rows, rng)) for rows, _ in batches)
        pairs = batching.classic_pairs(labels, CLASSIC_BATCH, rng)
        batches = batching.pair_batches(images, labels, pairs)
        return sum(len(left) + len(right) for (left, right), _ in batches)

    return rate("pictures", count, make, labels)


def sentences(count: int, is_course: bool) -> dict:
    """Sentences to ids by KerasHub's tokenizer, or by the tokenizers package; the ids are the same."""
    from benchmarks.agreement import exported_folder, some_sentences

    texts = some_sentences(count)
    if is_course:
        from siamese_course.models.sentences import make_encoder

        tokenize = make_encoder().tokenize
    else:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(exported_folder() / "tokenizer.json"))

        def tokenize(texts):
            return [row.ids for row in tokenizer.encode_batch(texts)]

    tokenize(texts[:1])  # but not all of them: KerasHub remembers the words it has met
    ids = []

    def make():
        ids.extend(tokenize(texts))
        return len(texts)

    found = rate("sentences", len(texts), make, texts)
    return {**found, "data": fingerprint([row[:120] for row in ids])}


MAKERS = {
    "words": words,
    "question batches": question_batches,
    "pictures": image_batches,
    "sentences": sentences,
}

"""Exercise 1: right vocabularies pass, known mistakes are named."""

from collections import Counter, defaultdict
from itertools import chain, count

import numpy as np
import pytest

from siamese_course.exercises.quora_triplet import vocabulary as vocabulary_exercise

build_vocabulary, encode = vocabulary_exercise.reference


def vocabulary_of(
    tokens_of=lambda question, tokenize: tokenize(question),
    start=2,
    special=(("<PAD>", 1),),
    finish=dict,
):
    """A vocabulary with one thing changed."""

    def build(questions, tokenize):
        tokens = chain.from_iterable(tokens_of(question, tokenize) for question in questions)
        return finish({**dict(special), **dict(zip(dict.fromkeys(tokens), count(start)))})

    return build


def counts(questions, tokenize):
    vocabulary = Counter(token for question in questions for token in tokenize(question))
    vocabulary["<PAD>"] = 1
    return vocabulary


def return_in_the_loop(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
        return vocabulary


def made_anew_in_the_loop(questions, tokenize):
    for question in questions:
        vocabulary = {"<PAD>": 1}
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def seen_words_are_numbered_again(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary[token] = len(vocabulary) + 1
    return vocabulary


def every_token_gets_the_next_number(questions, tokenize):
    vocabulary, number = {"<PAD>": 1}, 2
    for question in questions:
        for token in tokenize(question):
            vocabulary[token] = number
            number += 1
    return vocabulary


def numbered_within_each_question(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        vocabulary.update({token: i for i, token in enumerate(tokenize(question), start=2)})
    return vocabulary


BUILDS = [
    (counts, "counts"),
    (vocabulary_of(start=0), "id_0"),
    (vocabulary_of(start=1), "id_1"),
    (vocabulary_of(start=3), "gaps"),
    (vocabulary_of(special=()), "no_pad"),
    (vocabulary_of(special=[("<PAD>", 0)]), "other_pad"),
    (vocabulary_of(special=[("<UNK>", 0), ("<PAD>", 1)]), "extra_word"),
    (vocabulary_of(lambda question, tokenize: question), "letters"),
    (vocabulary_of(lambda question, tokenize: question.split()), "split"),
    (vocabulary_of(lambda question, tokenize: [question]), "questions"),
    (vocabulary_of(lambda question, tokenize: tokenize(question.lower())), "lower_case"),
    (
        vocabulary_of(lambda question, tokenize: filter(str.isalpha, tokenize(question))),
        "missing_word",
    ),
    (vocabulary_of(finish=lambda v: {i: word for word, i in v.items()}), "inverted"),
    (vocabulary_of(finish=list), "type"),
    (vocabulary_of(finish=len), "type"),
    (lambda questions, tokenize: {"<PAD>": 1}, "missing_word"),
    (lambda questions, tokenize: questions, "type"),
    (return_in_the_loop, "first_only"),
    (made_anew_in_the_loop, "last_only"),
    (seen_words_are_numbered_again, "same_id"),
    (numbered_within_each_question, "same_id"),
    (every_token_gets_the_next_number, "gaps"),
]


@pytest.mark.parametrize(("answer", "tag"), BUILDS, ids=range(len(BUILDS)))
def test_vocabulary_mistakes_are_named(answer, tag):
    result = vocabulary_exercise.check(answer, encode)
    assert repr(result) == "3"
    assert result.tags[0] == tag


def adds_new_words(question, vocabulary, tokenize):
    return [vocabulary.setdefault(t, len(vocabulary) + 1) for t in tokenize(question)]


def first_id_only(question, vocabulary, tokenize):
    for token in tokenize(question):
        return vocabulary.get(token, 0)


ENCODES = [
    (lambda q, v, tokenize: [v[t] for t in tokenize(q)], "unknown_word"),
    (lambda q, v, tokenize: [v.get(t) for t in tokenize(q)], "unknown_none"),
    (lambda q, v, tokenize: [v.get(t, 1) for t in tokenize(q)], "unknown_is_pad"),
    (lambda q, v, tokenize: [v.get(t, -1) for t in tokenize(q)], "value"),
    (lambda q, v, tokenize: [v[t] for t in tokenize(q) if t in v], "unknown_left_out"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in q.split()], "split"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in q], "letters"),
    (lambda q, v, tokenize: [v.get(t, 0) for t in tokenize(q.lower())], "lower_case"),
    (lambda q, v, tokenize: sorted(v.get(t, 0) for t in tokenize(q)), "sorted"),
    (lambda q, v, tokenize: [v.get(t, 0) + 1 for t in tokenize(q)], "shifted"),
    (lambda q, v, tokenize: [v.get(t, 2) - 2 for t in tokenize(q)], "value"),
    (lambda q, v, tokenize: [[v.get(t, 0) for t in tokenize(q)]], "shape"),
    (lambda q, v, tokenize: tokenize(q), "words"),
    (lambda q, v, tokenize: q, "type"),
    (lambda q, v, tokenize: [0] * len(tokenize(q)), "value"),
    (lambda q, v, tokenize: list(range(2, 2 + len(tokenize(q)))), "value"),
    (first_id_only, "shape"),
    (adds_new_words, "vocabulary_changed"),
]


@pytest.mark.parametrize(("answer", "tag"), ENCODES, ids=range(len(ENCODES)))
def test_encode_mistakes_are_named(answer, tag):
    result = vocabulary_exercise.check(build_vocabulary, answer)
    assert repr(result) == "5"
    assert result.tags[0] == tag


def vocabulary_by_default_dictionary(questions, tokenize):
    vocabulary = defaultdict(lambda: len(vocabulary) + 1)
    vocabulary["<PAD>"]
    for question in questions:
        for token in tokenize(question):
            vocabulary[token]
    return vocabulary


def vocabulary_by_setdefault(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def vocabulary_of_sorted_words(questions, tokenize):
    words = sorted({token for question in questions for token in tokenize(question)})
    vocabulary = {word: np.int64(number) for number, word in enumerate(words, 2)}
    vocabulary["<PAD>"] = 1
    return vocabulary


def vocabulary_by_frequency(questions, tokenize):
    common = Counter(chain.from_iterable(map(tokenize, questions))).most_common()
    return dict([("<PAD>", 1), *((word, i + 2) for i, (word, _) in enumerate(common))])


def encode_by_loop(question, vocabulary, tokenize):
    ids = []
    for token in tokenize(question):
        if token in vocabulary:
            ids.append(vocabulary[token])
        else:
            ids.append(0)
    return ids


def encode_to_array(question, vocabulary, tokenize):
    return np.array([vocabulary.get(token, 0) for token in tokenize(question)])


def encode_by_default_dictionary(question, vocabulary, tokenize):
    lookup = defaultdict(int, vocabulary)
    return tuple(lookup[token] for token in tokenize(question))


def encode_by_error(question, vocabulary, tokenize):
    def look_up(token):
        try:
            return vocabulary[token]
        except KeyError:
            return 0

    return list(map(look_up, tokenize(question)))


def encode_wrongly(question, vocabulary, tokenize):
    return [vocabulary.get(token, 1) for token in tokenize(question)]


RIGHT = [
    (vocabulary_by_default_dictionary, encode_by_loop),
    (vocabulary_by_setdefault, encode_to_array),
    (vocabulary_of_sorted_words, encode_by_default_dictionary),
    (vocabulary_by_frequency, encode_by_error),
]


@pytest.mark.parametrize("answers", RIGHT, ids=range(len(RIGHT)))
def test_a_right_answer_in_another_style_passes(answers):
    result = vocabulary_exercise.check(*answers)
    assert result.passed, str(result)


def test_a_right_answer_is_kept(capsys):
    assert vocabulary_exercise.use(vocabulary_by_default_dictionary, encode_to_array) == (
        vocabulary_by_default_dictionary,
        encode_to_array,
    )
    assert "goes on with your own answer" in capsys.readouterr().out


def test_a_wrong_answer_is_replaced(capsys):
    kept = vocabulary_exercise.use(vocabulary_by_setdefault, encode_wrongly)
    assert kept == (build_vocabulary, encode)
    assert "yours does not pass yet" in capsys.readouterr().out

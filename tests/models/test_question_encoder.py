"""Question encoders: similarities in batches, prediction, and what is refused."""

import json
from types import SimpleNamespace

import nltk
import numpy as np
import pytest

from siamese_course.batching import padding, tokens
from siamese_course.models import questions as models
from siamese_course.runtime.errors import CourseError


def encoder_of(forward, **options):
    vocabulary = tokens.build_vocabulary(
        ["red green blue yellow black white"], tokens.simple_tokenizer
    )
    return models.QuestionEncoder("keras", "course", vocabulary, None, forward, **options)


def encoder_of_ids(forward):
    """An encoder whose texts are lists of ids already."""
    encoder = encoder_of(forward)
    encoder.tokenize = lambda rows: rows
    return encoder


# --- similarities, batch by batch ---


def bag_of_words(ids):
    """(n, length) ids -> (n, 50) unit vectors: how often each word occurs, padding left out."""
    counts = np.stack([np.bincount(row[row != padding.PAD], minlength=50) for row in ids])
    return counts / np.maximum(np.linalg.norm(counts, axis=1, keepdims=True), 1e-9)


def encoded_sides(n, seed=0):
    rng = np.random.default_rng(seed)
    return tuple([list(rng.integers(2, 9, rng.integers(1, 12))) for _ in range(n)] for _ in "ab")


@pytest.mark.parametrize("n", [1, 3, 4, 10, 12])
def test_similarities_are_the_loop(n, monkeypatch):
    shapes = []

    def forward(ids):
        assert ids.dtype == np.int32
        shapes.append(ids.shape)
        return bag_of_words(ids)

    left, right = encoded_sides(n)
    monkeypatch.setattr(models, "BATCH_SIZE", 4)
    got = encoder_of_ids(forward).similarity(left, right)
    one_by_one = [
        float(np.sum(bag_of_words(np.array([a])) * bag_of_words(np.array([b]))))
        for a, b in zip(left, right, strict=True)
    ]
    np.testing.assert_allclose(
        got, one_by_one, atol=1e-12
    )  # in this order, and none of the filling
    assert {rows for rows, _ in shapes} == {4}
    assert shapes[::2] == shapes[1::2]  # both sides padded alike
    assert len(shapes) == 2 * -(-n // 4)
    assert all(length == padding.power_of_two(length) for _, length in shapes)


def test_no_pairs_have_no_similarities():
    got = encoder_of_ids(lambda ids: pytest.fail("called for nothing")).similarity([], [])
    assert got.shape == (0,)
    assert got.dtype == np.float32


# --- text in, embeddings out ---


def test_predict_decides_as_the_score_does_between_neighboring_cosines():
    """Single precision would round the threshold up to the higher of the two cosines."""
    low = np.nextafter(np.float32(0.6), np.float32(1))
    high = np.nextafter(low, np.float32(1))
    cosines = {"low": low, "high": high}
    for low_, high_ in ((low, high), (high, np.nextafter(high, np.float32(1)))):
        encoder = encoder_of(bag_of_words, threshold=(float(low_) + float(high_)) / 2)
        cosines = {"low": low_, "high": high_}
        encoder.similarity = lambda left, right, cosines=cosines: np.array([cosines[left[0]]])
        assert encoder.predict("high", "") is True
        assert encoder.predict("low", "") is False


@pytest.mark.parametrize("wrong", [None, 7, 1.5, float("nan"), b"bytes", ["list"]])
def test_what_is_no_string_is_refused(wrong):
    encoder = encoder_of(bag_of_words, threshold=0.5)
    for arguments in ((wrong, "red"), ("red", wrong)):
        with pytest.raises(TypeError, match=f"of type {type(wrong).__name__}; expected a string"):
            encoder.predict(*arguments)
    with pytest.raises(TypeError, match="item 1 of questions is"):
        encoder.similarity(["red", wrong], ["red", "red"])


def test_lists_of_unequal_length_are_refused():
    encoder = encoder_of(bag_of_words)
    with pytest.raises(
        ValueError, match="left has 2 questions and right 1; expected the same number"
    ):
        encoder.similarity(["red", "blue"], ["red"])
    assert encoder.similarity([], []).shape == (0,)


def test_an_empty_folder_holds_no_encoder(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CourseError, match=r"holds no question encoder .* siamese-course train"):
            models.load_encoder(folder)


def test_one_string_is_not_a_list_of_letters():
    encoder = encoder_of(bag_of_words)
    for call in (
        encoder.encode,
        encoder.tokenize,
        lambda text: encoder.similarity(text, f"{text}?"),
    ):
        with pytest.raises(TypeError, match="questions is one string; expected a list"):
            call("red")


@pytest.mark.parametrize("batch_size", [1, 2, 256])
def test_encoded_texts_are_the_rows_of_forward(batch_size):
    encoder, texts = encoder_of(bag_of_words), ["red green", "blue", "blue red red", "white"]
    embeddings = encoder.encode(texts, batch_size)
    expected = [bag_of_words(np.array([row]))[0] for row in encoder.tokenize(texts)]
    np.testing.assert_allclose(embeddings, expected)
    assert encoder.encode([]).shape == (0, 50)
    left, right = encoder.encode(texts), encoder.encode(texts[::-1])
    np.testing.assert_allclose(encoder.similarity(texts, texts[::-1]), np.sum(left * right, axis=1))


@pytest.mark.parametrize("batch_size", [0, -1, 1.5])
def test_a_batch_size_below_one_is_refused(batch_size):
    with pytest.raises(ValueError, match="batch_size is"):
        encoder_of(bag_of_words).encode(["red"], batch_size)


def test_a_wrong_tokenizer_is_never_used_silently(monkeypatch):
    """An encoder of word_tokenize without its sentence data: an error by default."""
    monkeypatch.setattr(nltk.data, "path", [])
    encoder = encoder_of(bag_of_words, tokenizer="word_tokenize")
    with pytest.raises(CourseError, match="punkt_tab"):
        encoder.encode(["red. green"])
    encoder.sentence_data = False
    assert encoder.tokenize(["red. green"]) == [[tokens.UNKNOWN, encoder.vocabulary["green"]]]


def test_without_a_threshold_nothing_is_decided_and_json_has_no_nan(tmp_path):
    encoder = encoder_of(bag_of_words)
    with pytest.raises(ValueError, match="threshold is nan; expected a cosine"):
        encoder.predict("red", "red")
    encoder.framework = "keras"
    encoder.model = SimpleNamespace(save=lambda path: path.write_text("model"))
    encoder.save(str(tmp_path / "encoder"))
    stored = (tmp_path / "encoder" / "encoder.json").read_text()
    assert "NaN" not in stored and json.loads(stored)["threshold"] is None

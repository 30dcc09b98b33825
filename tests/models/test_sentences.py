"""The sentence encoder on a tiny random RoBERTa: pooling by hand, any number of any text, saving, bad input."""

import json
import shutil
import socket
import unicodedata
from dataclasses import replace

import keras
import numpy as np
import pytest
from keras import ops

from siamese_course.batching import sentences as batching
from siamese_course.models import sentences as sentence
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.halves import build_in_halves
from tests.tools import DIM, MAX_LENGTH, SENTENCES, write_tiny_preset


@pytest.fixture(scope="session")
def preset(tmp_path_factory):
    """The folder of a tiny preset."""
    return write_tiny_preset(tmp_path_factory.mktemp("preset"))


@pytest.fixture(scope="session")
def encoder(preset):
    """Mean pooling; nobody may change its weights."""
    return sentence.make_encoder(str(preset))


@pytest.fixture(scope="session")
def directly(preset):
    """The `tokenizers` library on the same vocabulary."""
    from tokenizers import ByteLevelBPETokenizer

    files = preset.parent / "vocab.json", preset.parent / "merges.txt"
    return ByteLevelBPETokenizer(*map(str, files))


def made_up(n, seed=0):
    """n sentences of 0 to 60 words, long and short in no order."""
    rng = np.random.default_rng(seed)
    words = " ".join(SENTENCES).split()
    return [" ".join(rng.choice(words, rng.integers(0, rng.choice([4, 60])))) for _ in range(n)]


def one_by_one(encoder, sentences):
    """The oracle of ``encode``: the model on each sentence alone, without any padding."""
    rows = []
    for row in encoder.tokenize(sentences):
        alone = {"token_ids": np.array([row]), "padding_mask": np.ones((1, len(row)), int)}
        rows.append(ops.convert_to_numpy(encoder.model(alone))[0])
    return np.array(rows)


# --- pooling ---


def states_and_mask(batch=4, length=6, dim=3, seed=0):
    rng = np.random.default_rng(seed)
    ends = rng.integers(1, length + 1, batch)
    ends[0], ends[1] = length, 1
    mask = (np.arange(length) < ends[:, None]).astype("int32")
    return rng.normal(size=(batch, length, dim)).astype("float32"), mask


def pool_by_hand(states, mask, how):
    rows = []
    for row, real in zip(states.tolist(), mask.tolist(), strict=True):
        kept = [state for state, is_real in zip(row, real, strict=True) if is_real]
        if how == "mean":
            rows.append([sum(values) / len(kept) for values in zip(*kept, strict=True)])
        elif how == "max":
            rows.append([max(values) for values in zip(*kept, strict=True)])
        else:
            rows.append(row[0])
    return rows


@pytest.mark.parametrize("how", sentence.POOLINGS)
def test_pooling_is_the_loop(how):
    states, mask = states_and_mask()
    expected = pool_by_hand(states, mask, how)
    np.testing.assert_allclose(sentence.pool(states, mask, how), expected, atol=1e-6)
    np.testing.assert_allclose(sentence.Pooling(how)(states, mask), expected, atol=1e-6)
    others = [pool_by_hand(states, mask, other) for other in sentence.POOLINGS if other != how]
    assert all(np.abs(np.subtract(expected, other)).max() > 0.1 for other in others)


@pytest.mark.parametrize("how", sentence.POOLINGS)
def test_padding_does_not_matter(how):
    states, mask = states_and_mask()
    more = np.concatenate([states, np.full((4, 5, 3), 1000.0, "float32")], axis=1)
    longer = np.pad(mask, ((0, 0), (0, 5)))
    np.testing.assert_allclose(
        sentence.pool(more, longer, how), sentence.pool(states, mask, how), atol=1e-6
    )
    other = np.where(mask[:, :, None] == 1, states, -7.0)  # and neither does what padding holds
    np.testing.assert_allclose(
        sentence.pool(other, mask, how), sentence.pool(states, mask, how), atol=1e-6
    )


def test_max_of_negative_states_is_negative():
    """A mask that multiplies would find the zeros of the padding."""
    states, mask = states_and_mask()
    states = -np.abs(states) - 1
    got = np.asarray(sentence.pool(states, mask, "max"))
    assert got.max() <= -1
    np.testing.assert_allclose(got, pool_by_hand(states, mask, "max"), atol=1e-6)


@pytest.mark.parametrize("how", sentence.POOLINGS)
@pytest.mark.parametrize("unit_length", [False, True])
def test_a_row_of_padding_alone_is_finite(how, unit_length):
    states, mask = states_and_mask()
    mask[2] = 0
    got = ops.convert_to_numpy(sentence.Pooling(how, unit_length)(states, mask))
    assert np.isfinite(got).all()
    if how != "cls":
        np.testing.assert_array_equal(got[2], np.zeros(3))
    assert np.abs(got[3]).max() > 0.01


def test_unknown_poolings_are_refused(preset):
    states, mask = states_and_mask()
    for refused in (
        lambda: sentence.pool(states, mask, "median"),
        lambda: sentence.make_encoder(str(preset), "median"),
    ):
        with pytest.raises(ValueError, match="pooling is 'median'; expected one of mean, max, cls"):
            refused()


def test_the_pooling_layer_comes_back_from_its_configuration():
    layer = sentence.Pooling("max", unit_length=True)
    again = keras.saving.deserialize_keras_object(keras.saving.serialize_keras_object(layer))
    assert (again.how, again.unit_length, again.compute_dtype) == ("max", True, "float32")
    states, mask = states_and_mask()
    np.testing.assert_array_equal(again(states, mask), layer(states, mask))


# --- model ---


@pytest.mark.parametrize("how", sentence.POOLINGS)
@pytest.mark.parametrize("unit_length", [False, True])
def test_the_model_is_backbone_and_pooling(encoder, how, unit_length):
    model = sentence.build_sentence_model(encoder.backbone, how, unit_length)
    batch = batching.pad_rows(encoder.tokenize(SENTENCES), encoder.pad_id)
    states = ops.convert_to_numpy(encoder.backbone(batch))
    expected = np.array(pool_by_hand(states, batch["padding_mask"], how))
    if unit_length:
        expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    got = ops.convert_to_numpy(model(batch))
    assert got.shape == (len(SENTENCES), DIM)
    np.testing.assert_allclose(got, expected, atol=1e-5)


def siamese_batch(encoder, sides=3, batch=2):
    """(batch, sides, length) ids and mask, each row another sentence."""
    rows = encoder.tokenize(made_up(batch * sides))
    flat = batching.pad_rows(rows, encoder.pad_id)
    return {name: ids.reshape(batch, sides, -1) for name, ids in flat.items()}


@pytest.mark.parametrize("rows", [1, 2, 3])  # 3 of triplets make halves of 4 and 5 sentences
@pytest.mark.parametrize("sides", [2, 3])
@pytest.mark.parametrize("build", [sentence.build_siamese, build_in_halves])
def test_siamese_is_the_encoder_side_by_side(encoder, build, sides, rows):
    siamese = build(encoder.model, sides)
    batch = siamese_batch(encoder, sides, rows)
    got = ops.convert_to_numpy(siamese(batch))
    assert got.shape == (rows, sides, DIM) and siamese.output_shape == (None, sides, DIM)
    for side in range(sides):
        alone = encoder.model({name: ids[:, side] for name, ids in batch.items()})
        np.testing.assert_allclose(got[:, side], alone, atol=1e-5)
    assert np.ptp(got, axis=(0, 1)).max() > 0.1


@pytest.mark.parametrize("build", [sentence.build_siamese, build_in_halves])
def test_siamese_sides_share_one_set_of_weights(encoder, build):
    siamese = build(encoder.model, 3)
    siamese(siamese_batch(encoder))
    assert siamese.count_params() == encoder.backbone.count_params()
    assert {id(v) for v in siamese.trainable_variables} == {
        id(v) for v in encoder.backbone.trainable_variables
    }
    swapped = {name: ids[:, ::-1] for name, ids in siamese_batch(encoder).items()}
    np.testing.assert_allclose(
        ops.convert_to_numpy(siamese(swapped))[:, ::-1], siamese(siamese_batch(encoder)), atol=1e-6
    )


@pytest.mark.parametrize("batch_size", [3, 500])
def test_long_sentences_share_smaller_batches(encoder, batch_size, monkeypatch):
    monkeypatch.setattr(sentence, "CPU_TOKENS", 40)
    shapes = []

    def predict(batch):
        shapes.append(batch["token_ids"].shape)
        return encoder.model.predict_on_batch(batch)

    texts = [" ".join([text] * n) for n, text in enumerate(SENTENCES, 1)]
    got = replace(encoder, predict=predict).encode(texts, batch_size, verbose=False)
    np.testing.assert_allclose(got, encoder.encode(texts, 1, verbose=False), atol=1e-5)
    assert all(rows <= batch_size for rows, _ in shapes)
    assert all(rows == 1 or rows * (length - 7) <= 40 for rows, length in shapes)  # JAX pads by 7


def test_prediction_is_traced_once_whatever_the_batches(encoder):
    fresh = replace(encoder, model=sentence.build_sentence_model(encoder.backbone))
    for count, batch_size in ((9, 4), (3, 64), (1, 1)):
        got = fresh.encode(SENTENCES[:count], batch_size, verbose=False)
        np.testing.assert_allclose(got, encoder.encode(SENTENCES[:count], verbose=False), atol=1e-5)
    if keras.backend.backend() == "tensorflow":
        assert fresh.model.predict_function.experimental_get_tracing_count() == 1


# --- tokens ---

ODD = [
    "I'll say it's HER'S -- don't (really)!",
    "In 1984 there were 12345678.5 of them, $5,000.00 each",
    "naïve café, Ångström, ½ x²",
    "a 😀 dog 🐕‍🦺 and 👍🏽",
    "שלום, מה שלומך היום?",
    "مرحبا بالعالم",
    "今日はいい天気です。 Привет, мир!",
    "mail@example.org/path_to?x=1",
    "control \x00\x07 characters \ufeff\u200b",
]


@pytest.mark.parametrize("text", ODD + SENTENCES)
def test_tokens_are_those_of_the_tokenizers_library(encoder, directly, text):
    words = text.replace("\0", "").split()
    expected = [0, *directly.encode(" ".join(words)).ids, 2]
    assert len(expected) <= encoder.max_length
    assert encoder.tokenize([text]) == [expected]


@pytest.mark.parametrize("text", ["the '90s", "say 'so'", '"\'s a dog"'])
def test_an_apostrophe_may_split_otherwise_but_loses_nothing(encoder, directly, text):
    """KerasHub 0.32 does not cut a text into words before it merges: 's may join what is before it."""
    (row,) = encoder.tokenize([text])
    assert directly.decode(row[1:-1]) == text


def test_sentences_are_cut_to_the_maximum_length(encoder, directly):
    text = " ".join(SENTENCES)
    ids = directly.encode(text).ids
    short = sentence.SentenceEncoder(
        encoder.model, encoder.backbone, encoder.tokenizer, "short", max_length=9
    )
    assert short.tokenize([text, "a dog"]) == [
        [0, *ids[:7], 2],
        [0, *directly.encode("a dog").ids, 2],
    ]
    exactly = directly.decode(ids[:7])
    assert short.tokenize([exactly]) == [[0, *ids[:7], 2]]


def test_white_space_of_every_kind_is_one_space(encoder):
    assert sentence.clean(" \ta\n\n b\u00a0\u2003c\u2028d ") == "a b c d"
    assert sentence.clean("a \0 b\0") == "a b"
    plain, spaced = encoder.encode(["a dog eats", "\n a\u00a0dog \t eats "])
    np.testing.assert_array_equal(plain, spaced)


def test_composed_and_decomposed_letters_stay_as_they_are(encoder):
    composed = "café"
    decomposed = unicodedata.normalize("NFD", composed)
    assert sentence.clean(composed) == composed
    assert sentence.clean(decomposed) == decomposed
    first, second = encoder.tokenize([composed, decomposed])
    assert first != second


def test_half_a_surrogate_pair_is_a_question_mark(encoder):
    """As of JSON with a lone \\ud83d; no encoder of UTF-8 takes it."""
    assert encoder.tokenize(["a \ud83d dog"]) == encoder.tokenize(["a ? dog"])


# --- encode ---


@pytest.mark.parametrize("n", [0, 1, 7, 65])
def test_any_number_of_sentences_in_their_order(encoder, n):
    sentences = made_up(n)
    got = encoder.encode(sentences, verbose=False)
    assert got.shape == (n, encoder.dim) == (n, DIM)
    assert got.dtype == np.float32
    if n:
        np.testing.assert_allclose(got, one_by_one(encoder, sentences), atol=1e-5)
    if n > 1:
        assert np.ptp(got, axis=0).max() > 0.1  # they differ, so that the order says something


@pytest.mark.parametrize("chunk", [1, 7, 16])
def test_more_sentences_than_are_taken_at_a_time(encoder, monkeypatch, chunk):
    sentences = made_up(33)
    whole = encoder.encode(sentences, verbose=False)
    monkeypatch.setattr(sentence, "CHUNK", chunk)
    np.testing.assert_allclose(encoder.encode(sentences, verbose=False), whole, atol=1e-5)


@pytest.mark.parametrize("batch_size", [1, 3, 16, 1000])
def test_an_embedding_depends_on_neither_batch_size_nor_neighbors(encoder, batch_size):
    sentences = made_up(20)
    got = encoder.encode(sentences, batch_size, verbose=False)
    np.testing.assert_allclose(got, one_by_one(encoder, sentences), atol=1e-5)
    backwards = encoder.encode(sentences[::-1], batch_size, verbose=False)[::-1]
    np.testing.assert_allclose(backwards, got, atol=1e-5)
    beside = encoder.encode([sentences[3], "word " * 100], batch_size, verbose=False)
    np.testing.assert_allclose(beside[0], got[3], atol=1e-5)


def test_empty_sentences_have_one_embedding(encoder):
    got = encoder.encode(["", "a dog", "   ", "\t\n\u00a0"], verbose=False)
    assert encoder.tokenize(["", "  "]) == [[0, 2], [0, 2]]
    np.testing.assert_allclose(got[[2, 3]], got[[0, 0]], atol=1e-6)
    assert np.isfinite(got).all()
    assert np.abs(got[1] - got[0]).max() > 0.05


def test_text_of_every_kind(encoder):
    got = encoder.encode(ODD, verbose=False)
    assert np.isfinite(got).all()
    np.testing.assert_allclose(got, one_by_one(encoder, ODD), atol=1e-5)
    distances = np.linalg.norm(got[:, None] - got[None], axis=-1)
    assert distances[~np.eye(len(ODD), dtype=bool)].min() > 0.05  # none is mistaken for another


def test_duplicates_have_the_same_embedding(encoder):
    sentences = [SENTENCES[0], *made_up(20), SENTENCES[0]]
    got = encoder.encode(sentences, 4, verbose=False)
    np.testing.assert_allclose(got[0], got[-1], atol=1e-6)


def test_a_long_text_is_cut_and_said_so(encoder, capfd):
    text = " ".join(f"word{number}" for number in range(5000))
    got = encoder.encode([text, "a dog", text + " more"])
    out, err = capfd.readouterr()
    assert "2 of 3 sentences are longer than 128 tokens; the rest of each was not read." in out
    assert err == ""
    np.testing.assert_allclose(got[0], got[2], atol=1e-6)
    encoder.encode([text], verbose=False)
    encoder.encode(["a dog"])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("wrong", [None, 7, 1.5, float("nan"), b"bytes", ["list"]])
def test_what_is_no_string_is_refused(encoder, wrong):
    with pytest.raises(
        TypeError, match=f"item 2 of sentences is .*{type(wrong).__name__}; expected a string"
    ):
        encoder.encode(["a", "b", wrong])
    with pytest.raises(TypeError, match="item 0 of sentences is"):
        encoder.tokenize([wrong])


def test_the_place_is_counted_from_the_first_sentence_of_all(encoder, monkeypatch):
    monkeypatch.setattr(sentence, "CHUNK", 2)
    with pytest.raises(TypeError, match="item 5 of sentences is None"):
        encoder.encode(["a", "b", "c", "d", "e", None])


def test_one_string_is_no_list(encoder):
    for refused in (encoder.encode, encoder.tokenize):
        with pytest.raises(TypeError, match=r"a list of strings, such as \['a dog'\]"):
            refused("a dog")
    with pytest.raises(TypeError, match="item 0 of sentences is 97, of type int"):
        encoder.encode(b"a dog")


@pytest.mark.parametrize("kind", [tuple, np.array])
def test_other_sequences_of_strings(encoder, kind):
    got = encoder.encode(kind(SENTENCES), verbose=False)
    np.testing.assert_array_equal(got, encoder.encode(SENTENCES, verbose=False))


@pytest.mark.parametrize("batch_size", [0, -1, float("nan")])
def test_a_batch_has_a_row_at_least(encoder, batch_size):
    with pytest.raises(ValueError, match=f"batch_size is {batch_size}; expected"):
        encoder.encode(["a dog"], batch_size)


# --- similarity ---


def test_similarity_is_the_loop(encoder):
    left, right = made_up(20), made_up(20, seed=1)
    rows = [encoder.encode(side, verbose=False).astype("float64") for side in (left, right)]
    expected = [
        sum(a * b) / (sum(a * a) ** 0.5 * sum(b * b) ** 0.5) for a, b in zip(*rows, strict=True)
    ]
    got = encoder.similarity(left, right)
    np.testing.assert_allclose(got, expected, atol=1e-5)
    assert np.ptp(got) > 0.1
    np.testing.assert_allclose(encoder.similarity(left, left), np.ones(len(left)), atol=1e-5)
    assert encoder.similarity([], []).shape == (0,)


def test_similarity_of_lists_of_different_lengths(encoder):
    with pytest.raises(ValueError, match="right has 1 sentences; expected 2, as many as left"):
        encoder.similarity(["a", "b"], ["a"])


# --- settings ---


@pytest.mark.parametrize("pooling", sentence.POOLINGS)
def test_unit_length(preset, pooling):
    unit = sentence.make_encoder(str(preset), pooling, unit_length=True)
    plain = sentence.make_encoder(str(preset), pooling).encode(SENTENCES, verbose=False)
    got = unit.encode(SENTENCES, verbose=False)
    np.testing.assert_allclose(np.linalg.norm(got, axis=1), np.ones(len(SENTENCES)), atol=1e-5)
    lengths = np.linalg.norm(plain, axis=1, keepdims=True)
    assert np.abs(lengths - 1).max() > 0.1
    np.testing.assert_allclose(got, plain / lengths, atol=1e-5)


def test_the_maximum_length_has_bounds(preset, monkeypatch):
    assert sentence.make_encoder(str(preset)).max_length == sentence.MAX_LENGTH == 128
    for length in (3, MAX_LENGTH):
        encoder = sentence.make_encoder(str(preset), max_length=length)
        assert len(encoder.tokenize(["word " * 200])[0]) == length
        assert np.isfinite(encoder.encode(["word " * 200], verbose=False)).all()
    for length in (2, MAX_LENGTH + 1):
        with pytest.raises(
            ValueError, match=f"max_length is {length}; expected 3 to {MAX_LENGTH}, what"
        ):
            sentence.make_encoder(str(preset), max_length=length)
    monkeypatch.setattr(sentence, "MAX_LENGTH", 10 * MAX_LENGTH)
    assert sentence.make_encoder(str(preset)).max_length == MAX_LENGTH  # what the backbone can read


def test_half_precision_gives_float32_close_to_the_full(encoder, preset):
    half = sentence.make_encoder(str(preset), dtype="mixed_bfloat16")
    assert half.backbone.compute_dtype == "bfloat16"
    got, full = (e.encode(SENTENCES, verbose=False) for e in (half, encoder))
    assert got.dtype == np.float32
    cosines = (
        np.sum(got * full, axis=1) / np.linalg.norm(got, axis=1) / np.linalg.norm(full, axis=1)
    )
    assert cosines.min() > 0.999
    np.testing.assert_allclose(got, full, atol=0.05)
    assert not np.array_equal(got, full)  # it was computed otherwise


def test_the_first_layers_alone(preset):
    whole, _ = sentence.load_backbone(str(preset))
    first, _ = sentence.load_backbone(str(preset), layers=1)
    assert (whole.num_layers, first.num_layers) == (2, 1)
    assert whole.dropout == first.dropout == 0.1
    kept, expected = (model.transformer_layers[0].get_weights() for model in (first, whole))
    for weights, wanted in zip(kept, expected, strict=True):
        np.testing.assert_array_equal(weights, wanted)
    with pytest.raises(ValueError, match="layers is 0"):
        sentence.load_backbone(str(preset), layers=0)
    with pytest.raises(CourseError, match="cannot be read"):
        sentence.load_backbone(str(preset), layers=3)


# --- save and load ---


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pooling": "max", "unit_length": True, "max_length": 20},
        {"pooling": "cls", "dtype": "mixed_bfloat16"},
    ],
)
def test_a_saved_encoder_gives_the_same_embeddings(preset, tmp_path, options):
    sentences = made_up(9) + ODD
    encoder = sentence.make_encoder(str(preset), **options)
    rng = np.random.default_rng(0)
    for variable in encoder.model.variables:  # as if it had been fine-tuned
        variable.assign_add(rng.normal(scale=0.1, size=variable.shape))
    encoder.name = "anything at all"
    encoder.save(tmp_path / "new" / "folder")
    shutil.move(tmp_path / "new" / "folder", tmp_path / "moved")
    loaded = sentence.load_encoder(tmp_path / "moved")
    for name in ("name", "pooling", "unit_length", "max_length", "dim"):
        assert getattr(loaded, name) == getattr(encoder, name), name
    before, after = (e.encode(sentences, verbose=False) for e in (encoder, loaded))
    np.testing.assert_array_equal(before, after)
    untouched = sentence.make_encoder(str(preset), **options).encode(sentences, verbose=False)
    assert np.abs(before - untouched).max() > 0.01


@pytest.fixture
def saved(encoder, tmp_path):
    """The folder of an encoder that a test may damage."""
    encoder.save(tmp_path / "saved")
    return tmp_path / "saved"


def one_sentence(error) -> str:
    """What an error says, which is one line of bearable length."""
    text = str(error.value)
    assert len(text.splitlines()) == 1
    assert len(text) < 700
    return text


def test_a_folder_that_is_no_encoder(tmp_path):
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(CourseError, match="holds no sentence encoder") as error:
            sentence.load_encoder(folder)
        assert str(folder) in one_sentence(error)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '"text"',
        "{}",
        '{"name": "x", "pooling": "mean"}',
        '{"name": "x", "pooling": "median", "unit_length": false, "longest": 20}',
        '{"name": "x", "pooling": "views", "unit_length": false, "longest": 20}',
        '{"name": "x", "pooling": "mean", "unit_length": false, "longest": 1000}',
        '{"name": "x", "pooling": "mean", "unit_length": false, "longest": "long"}',
    ],
)
def test_damaged_settings_are_one_clear_error(saved, content):
    (saved / "sentence_encoder.json").write_text(content)
    with pytest.raises(CourseError, match="holds no sentence encoder") as error:
        sentence.load_encoder(saved)
    one_sentence(error)


FILES = ("model.weights.h5", "config.json", "tokenizer.json")


@pytest.mark.parametrize("name", [*FILES, "assets/tokenizer/vocabulary.json"])
@pytest.mark.parametrize("damage", ["absent", "cut short", "text"])
def test_a_damaged_backbone_is_one_clear_error(saved, name, damage):
    path = saved / "backbone" / name
    if damage == "absent":
        path.unlink()
    elif damage == "cut short":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    else:
        path.write_text("damaged")
    with pytest.raises(CourseError, match="cannot be read") as error:
        sentence.load_encoder(saved)
    assert str(saved) in one_sentence(error)


def test_weights_of_another_shape_are_one_clear_error(saved):
    config = json.loads((saved / "backbone" / "config.json").read_text())
    config["config"]["hidden_dim"] = 2 * DIM
    (saved / "backbone" / "config.json").write_text(json.dumps(config))
    with pytest.raises(CourseError, match="cannot be read") as error:
        sentence.load_encoder(saved)
    one_sentence(error)


def test_an_encoder_without_its_backbone(saved):
    shutil.rmtree(saved / "backbone")
    with pytest.raises(CourseError, match="There is no backbone") as error:
        sentence.load_encoder(saved)
    one_sentence(error)


# --- backbones by name ---


@pytest.mark.parametrize("name", ["nonsense_en", "./no/such/folder", "/no/such/folder"])
def test_an_unknown_backbone(name):
    with pytest.raises(CourseError, match=f"There is no backbone '{name}': no folder") as error:
        sentence.make_encoder(name)
    assert "needs no network: course_roberta_en." in one_sentence(error)


@pytest.mark.parametrize("content", [{}, {"config.json": "{}"}, {"config.json": "text"}])
def test_a_folder_that_is_no_backbone(tmp_path, content):
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(CourseError, match=f"The backbone in {tmp_path} cannot be read") as error:
        sentence.make_encoder(str(tmp_path))
    assert "course_roberta_en" in one_sentence(error)


def test_an_unreachable_hub_names_the_backbone_that_needs_none(monkeypatch, tmp_path):
    asked = []

    def refuse(*arguments, **options):
        asked.append(arguments)
        raise OSError("there is no network in this test")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("KAGGLEHUB_CACHE", str(tmp_path))
    with pytest.raises(CourseError, match="'roberta_base_en' could not be fetched") as error:
        sentence.make_encoder("roberta_base_en")
    assert asked
    assert "needs no network: course_roberta_en." in one_sentence(error)


def test_the_name_of_a_published_backbone_is_no_folder():
    assert sentence.preset_path("roberta_base_en") == "roberta_base_en"


def write_hugging_face(folder, encoder, preset):
    """The same network in the layout of Hugging Face, weight by weight."""
    from safetensors.numpy import save_file

    config = encoder.backbone.get_config()
    arrays = {}

    def put(name, variable, shape=None, transposed=False):
        array = ops.convert_to_numpy(variable)
        array = array if shape is None else array.reshape(shape)
        arrays[f"roberta.{name}"] = np.ascontiguousarray(array.T if transposed else array)

    def put_norm(name, layer):
        put(f"{name}.LayerNorm.weight", layer.gamma)
        put(f"{name}.LayerNorm.bias", layer.beta)

    backbone = encoder.backbone
    embeddings = backbone.embeddings
    put("embeddings.word_embeddings.weight", embeddings.token_embedding.embeddings)
    positions = ops.convert_to_numpy(embeddings.position_embedding.position_embeddings)
    junk = np.full((2, DIM), 9.0, "float32")  # two rows that RoBERTa never reads
    put("embeddings.position_embeddings.weight", np.concatenate([junk, positions]))
    put("embeddings.token_type_embeddings.weight", np.zeros((1, DIM), "float32"))
    put_norm("embeddings", backbone.embeddings_layer_norm)
    for number, layer in enumerate(backbone.transformer_layers):
        at = f"encoder.layer.{number}"
        attention = layer._self_attention_layer
        for part in ("query", "key", "value"):
            dense = getattr(attention, f"{part}_dense")
            put(f"{at}.attention.self.{part}.weight", dense.kernel, (DIM, DIM), True)
            put(f"{at}.attention.self.{part}.bias", dense.bias, (DIM,))
        dense = attention.output_dense
        put(f"{at}.attention.output.dense.weight", dense.kernel, (DIM, DIM), True)
        put(f"{at}.attention.output.dense.bias", dense.bias)
        put_norm(f"{at}.attention.output", layer._self_attention_layer_norm)
        for part, dense in (
            ("intermediate", layer._feedforward_intermediate_dense),
            ("output", layer._feedforward_output_dense),
        ):
            put(f"{at}.{part}.dense.weight", dense.kernel, transposed=True)
            put(f"{at}.{part}.dense.bias", dense.bias)
        put_norm(f"{at}.output", layer._feedforward_layer_norm)
    save_file(arrays, folder / "model.safetensors")
    settings = {
        "model_type": "roberta",
        "vocab_size": config["vocabulary_size"],
        "num_hidden_layers": config["num_layers"],
        "num_attention_heads": config["num_heads"],
        "hidden_size": DIM,
        "intermediate_size": config["intermediate_dim"],
        "hidden_dropout_prob": 0.1,
        "max_position_embeddings": MAX_LENGTH + 2,
    }
    (folder / "config.json").write_text(json.dumps(settings))
    for name in ("vocab.json", "merges.txt"):
        shutil.copy(preset.parent / name, folder)


def test_a_hugging_face_folder_is_the_same_backbone(encoder, preset, tmp_path):
    # The lowest KerasHub that the course allows reads no RoBERTa from Hugging Face, and says so
    pytest.importorskip("keras_hub.src.utils.transformers.convert_roberta")
    pytest.importorskip("safetensors")
    write_hugging_face(tmp_path, encoder, preset)
    again = sentence.make_encoder(str(tmp_path))
    assert (again.max_length, again.backbone.max_sequence_length) == (128, MAX_LENGTH)
    sentences = made_up(5) + ODD
    assert again.tokenize(sentences) == encoder.tokenize(sentences)
    np.testing.assert_allclose(
        again.encode(sentences, verbose=False), encoder.encode(sentences, verbose=False), atol=1e-5
    )


def test_a_backbone_is_built_in_float32_where_kerashub_keeps_the_stored_precision(monkeypatch):
    """As KerasHub 0.21 does: its embeddings would overflow float16."""
    import keras_hub

    newest = keras_hub.models.Backbone.from_preset
    wanted = sentence.load_backbone()[0]
    monkeypatch.setattr(
        keras_hub.models.Backbone,
        "from_preset",
        lambda path, dtype=None, **options: newest(path, dtype="float16", **options),
    )
    backbone, _ = sentence.load_backbone()
    assert backbone.dtype_policy.name == "float32"
    for new, old in zip(backbone.weights, wanted.weights, strict=True):
        assert new.dtype == "float32"
        np.testing.assert_array_equal(new, old)

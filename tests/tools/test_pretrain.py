"""The script that pre-trains: masking, batches, held-out text, the preset, and going on after a kill."""

import functools
import itertools
import json
import shutil
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.tools import SCRIPT, load_script

pretrain = load_script()

WHO = (
    "A dog",
    "My aunt",
    "The baker",
    "An old sailor",
    "Nobody",
    "The mayor of Zürich",
    "A cat 🐈",
)
DID = ("painted", "sold", "lost", "found", "mended", "drew", "counted")
WHAT = ("a boat", "the last 12 loaves", "some flowers", "its tail", "a café", "the town's clock")


def made_up_text():
    """294 different paragraphs, in an order of their own."""
    rows = [f"{a} {b} {c}, they say." for a, b, c in itertools.product(WHO, DID, WHAT)]
    np.random.default_rng(0).shuffle(rows)
    return rows


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """A file with one paragraph a line, and empty lines between some."""
    path = tmp_path_factory.mktemp("text") / "paragraphs.txt"
    path.write_text("\n\n".join(made_up_text()) + "\n", "utf-8")
    return path


@pytest.fixture(scope="module")
def prepared(text, tmp_path_factory):
    """A work folder with tokenizer, token ids and held-out paragraphs."""
    work = tmp_path_factory.mktemp("prepared") / "new" / "work"
    pretrain.prepare([text], work, 400, seed=0)
    return work


@functools.cache
def windows(n, length, size=5000, seed=0):
    """(n, length) ids as a batch holds them: <s>, text with a </s> here and there, </s>."""
    rng = np.random.default_rng(seed)
    ids = rng.integers(5, size, (n, length)).astype("int32")
    ids[rng.random(ids.shape) < 0.1] = pretrain.END
    ids[:, 0], ids[:, -1] = pretrain.START, pretrain.END
    return ids


# --- masking ---


@pytest.mark.parametrize(("length", "count"), [(32, 5), (64, 10), (128, 19), (8, 1)])
def test_15_percent_of_the_positions_each_once(length, count):
    ids = windows(300, length)
    before = ids.copy()
    inputs, positions, targets = pretrain.mask_tokens(ids, 5000, np.random.default_rng(0))
    assert np.array_equal(ids, before)
    assert inputs.shape == ids.shape
    assert positions.shape == targets.shape == (300, count)
    assert (np.diff(positions, axis=1) > 0).all()
    for row, got, chosen, expected in zip(ids, inputs, positions, targets, strict=True):
        assert row[chosen].tolist() == expected.tolist()
        assert expected.min() >= len(pretrain.SPECIAL)  # no special token is chosen
        rest = np.setdiff1d(np.arange(length), chosen)
        assert np.array_equal(got[rest], row[rest])
    assert {array.dtype for array in (inputs, positions, targets)} == {np.dtype("int32")}


def test_of_the_chosen_80_percent_are_hidden_10_exchanged_and_10_left():
    inputs, positions, targets = pretrain.mask_tokens(
        windows(1000, 64), 5000, np.random.default_rng(0)
    )
    put = np.take_along_axis(inputs, positions, axis=1)
    total = put.size
    hidden, left = (put == pretrain.MASK).sum(), (put == targets).sum()
    for found, share in ((hidden, 0.8), (left, 0.1), (total - hidden - left, 0.1)):
        assert abs(found - share * total) < 5 * np.sqrt(share * (1 - share) * total)
    others = put[(put != pretrain.MASK) & (put != targets)]
    assert others.min() >= len(pretrain.SPECIAL)
    assert others.max() > 4000  # from all of the vocabulary
    assert len(set(others.tolist())) > 0.8 * len(others)


def test_while_the_rate_falls_20_percent_are_chosen_and_all_hidden():
    ids = windows(100, 128)
    rng = np.random.default_rng(0)
    inputs, positions, targets = pretrain.mask_tokens(ids, 5000, rng, pretrain.FALL_STAGE)
    assert positions.shape == (100, 26)
    assert (np.take_along_axis(inputs, positions, axis=1) == pretrain.MASK).all()
    assert np.array_equal(np.take_along_axis(ids, positions, axis=1), targets)


def test_every_place_is_as_likely_and_the_seed_decides():
    ids = np.where(windows(2000, 32) == pretrain.END, 7, windows(2000, 32))
    ids[:, -1] = pretrain.END
    first, again, other = (
        pretrain.mask_tokens(ids, 5000, np.random.default_rng(seed)) for seed in (0, 0, 1)
    )
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[1], other[1])
    times = np.bincount(first[1].ravel(), minlength=32)
    assert times[0] == times[31] == 0
    mean = 2000 * 5 / 30
    assert np.abs(times[1:31] - mean).max() < 5 * np.sqrt(mean)


# --- text, tokenizer, batches ---


def paragraphs_of(ids, work):
    """Token ids back to the paragraphs that </s> divides."""
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer(str(work / "vocab.json"), str(work / "merges.txt"))
    ends = np.flatnonzero(ids == pretrain.END)
    parts = np.split(ids, ends + 1)
    return [tokenizer.decode(part[part != pretrain.END].tolist()) for part in parts if len(part)]


def test_every_paragraph_is_either_trained_on_or_held_out(prepared):
    held_out = (prepared / "held_out.txt").read_text("utf-8").splitlines()
    assert len(held_out) == 50
    tokens = np.load(prepared / "tokens.npy")
    trained_on = paragraphs_of(tokens, prepared)
    assert sorted(trained_on + held_out) == sorted(made_up_text())
    assert not set(trained_on) & set(held_out)
    places = [made_up_text().index(paragraph) for paragraph in held_out]
    assert np.diff(places).tolist() == [1] * 49  # a block of neighbors
    assert trained_on != [text for text in made_up_text() if text in set(trained_on)]  # shuffled


def test_no_window_holds_a_held_out_paragraph(prepared):
    """Decoded and searched; what a training paragraph shows is found, so that the search says something."""
    tokens = np.load(prepared / "tokens.npy")
    held_out = (prepared / "held_out.txt").read_text("utf-8").splitlines()
    seen = set()
    for step in range(40):
        features, targets = pretrain.batch_of_step(tokens, step, 1024, 400, seed=0)
        ids = features["token_ids"].copy()
        np.put_along_axis(ids, features["mask_positions"], targets, axis=1)  # as before masking
        for row in ids:
            assert (row[0], row[-1]) == (pretrain.START, pretrain.END)
            seen.update(paragraphs_of(row[1:], prepared))
    assert not seen & set(held_out)
    assert len(seen & set(made_up_text())) > 0.9 * (294 - 50)


def test_the_tokenizer_gives_the_same_ids_through_keras_hub(prepared):
    import keras_hub
    from tokenizers import ByteLevelBPETokenizer

    files = str(prepared / "vocab.json"), str(prepared / "merges.txt")
    theirs, ours = ByteLevelBPETokenizer(*files), keras_hub.models.RobertaTokenizer(*files)
    odd = ["", "It's 2,000 – isn't it?", "日本語 и עברית", "naïve 😀 (well-known)"]
    for paragraph in made_up_text() + odd:
        assert np.asarray(ours(paragraph)).tolist() == theirs.encode(paragraph).ids, paragraph
    assert 300 < ours.vocabulary_size() == theirs.get_vocab_size() <= 400
    special = ("start", "pad", "end", "mask")
    assert [getattr(ours, f"{name}_token_id") for name in special] == [0, 1, 2, pretrain.MASK]


def test_what_is_prepared_is_not_prepared_again(prepared, tmp_path):
    work = shutil.copytree(prepared, tmp_path / "work")
    pretrain.prepare([tmp_path / "nowhere.txt"], work, 400, seed=1)
    assert (work / "tokens.npy").read_bytes() == (prepared / "tokens.npy").read_bytes()
    (work / "tokens.npy").unlink()
    with pytest.raises(FileNotFoundError):
        pretrain.prepare([tmp_path / "nowhere.txt"], work, 400, seed=1)


def test_preparing_is_repeatable_and_the_seed_chooses_what_is_held_out(prepared, text, tmp_path):
    for seed in (0, 1):
        pretrain.prepare([text], tmp_path / str(seed), 400, seed)
    names = ("vocab.json", "merges.txt", "tokens.npy", "held_out.txt")
    for name in names:
        assert (tmp_path / "0" / name).read_bytes() == (prepared / name).read_bytes()
    assert (tmp_path / "1" / "held_out.txt").read_text() != (prepared / "held_out.txt").read_text()


def test_only_the_first_text_is_held_out_of(text, tmp_path):
    more = tmp_path / "more.txt"
    more.write_text("A second text\nof short lines.\n" * 60)
    pretrain.prepare([text, more], tmp_path / "work", 400, seed=0)
    held_out = (tmp_path / "work" / "held_out.txt").read_text("utf-8").splitlines()
    assert len(held_out) == 50 and set(held_out) < set(made_up_text())
    trained_on = paragraphs_of(np.load(tmp_path / "work" / "tokens.npy"), tmp_path / "work")
    assert trained_on.count("A second text") == trained_on.count("of short lines.") == 60
    first = trained_on[: len(trained_on) // 2]
    assert 20 < first.count("A second text") < 50  # the texts are mixed


@pytest.mark.parametrize("opener", ["gzip", "lzma"])
def test_compressed_text(tmp_path, opener):
    path = tmp_path / {"gzip": "text.gz", "lzma": "text.xz"}[opener]
    with getattr(pretrain, opener).open(path, "wt", encoding="utf-8") as lines:
        lines.write("  One café \n\n\t\nTwo\u2028three\n")
    assert list(pretrain.paragraphs(path)) == ["One café", "Two\u2028three"]


def test_questions_are_read_each_once(tmp_path):
    path = tmp_path / "quora.tsv"
    header = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"
    path.write_text(f"{header}\n0\t1\t2\tWho am I?\tWho are you?\t0\n1\t1\t3\tWho am I?\tWhy?\t1\n")
    assert list(pretrain.paragraphs(path)) == ["Who am I?", "Who are you?", "Why?"]


def test_a_text_of_too_few_paragraphs_is_refused(tmp_path):
    (tmp_path / "few.txt").write_text("A line.\n" * 99)
    with pytest.raises(SystemExit, match=r"few.txt holds 99 paragraphs; expected at least 100"):
        pretrain.prepare([tmp_path / "few.txt"], tmp_path / "work", 400, seed=0)


TOKENS = np.arange(5, 3005).astype("uint16")


def test_a_batch_is_a_function_of_seed_and_step_alone():
    for step in (0, 7, 7, 3):  # in any order
        first, again = (pretrain.batch_of_step(TOKENS, step, 512, 3005, seed=2) for _ in range(2))
        for name in first[0]:
            assert np.array_equal(first[0][name], again[0][name])
        assert np.array_equal(first[1], again[1])
    different = [
        pretrain.batch_of_step(TOKENS, step, 512, 3005, seed)[1].tolist()
        for step, seed in ((0, 0), (1, 0), (0, 1))
    ]
    assert different[0] != different[1] != different[2] != different[0]


@pytest.mark.parametrize("stage", [pretrain.LEVEL_STAGE, pretrain.FALL_STAGE])
def test_batches_have_the_same_number_of_tokens_whatever_the_length(stage):
    lengths, starts = [], []
    for step in range(400):
        features, targets = pretrain.batch_of_step(TOKENS, step, 512, 3005, 0, stage)
        ids = features["token_ids"]
        assert ids.size == 512
        assert features["padding_mask"].shape == ids.shape and features["padding_mask"].all()
        assert targets.shape == features["mask_positions"].shape
        np.put_along_axis(ids, features["mask_positions"], targets, axis=1)
        assert (ids[:, 0] == pretrain.START).all() and (ids[:, -1] == pretrain.END).all()
        assert (np.diff(ids[:, 1:-1], axis=1) == 1).all()  # a stretch of the text
        lengths.append(ids.shape[1])
        starts += ids[:, 1].tolist()
    for length, share in stage.lengths:
        spread = np.sqrt(share * (1 - share) * 400)
        assert abs(lengths.count(length) - share * 400) < 5 * spread
    assert min(starts) < 50 and max(starts) > 2900 - 50  # from anywhere


# --- learning rate, model ---


@pytest.mark.parametrize("steps", [4_000, 50_000])
def test_the_learning_rate_rises_is_level_and_falls(steps):
    schedule = pretrain.learning_rate(2.0, steps)
    fall = steps // 2
    top = pretrain.RISE
    rates = {
        step: float(schedule(step))
        for step in (
            0,
            top // 2 - 1,
            top - 1,
            top,
            fall - 1,
            fall,
            (fall + steps) // 2,
            steps - 1,
            steps,
        )
    }
    assert rates[0] == pytest.approx(2 / top)
    assert rates[top // 2 - 1] == pytest.approx(1.0)
    assert rates[top - 1] == rates[top] == rates[fall - 1] == rates[fall] == 2.0
    assert rates[(fall + steps) // 2] == pytest.approx(1.0, rel=1e-3)
    assert 0 < rates[steps - 1] < 0.01
    assert rates[steps] == 0.0


def test_until_it_falls_the_learning_rate_does_not_depend_on_the_number_of_steps():
    short, long = (pretrain.learning_rate(1e-3, steps) for steps in (4_000, 9_000))
    for step in (0, 100, 1_000, 1_999):
        assert float(short(step)) == float(long(step))
    assert float(short(3_500)) < float(long(3_500))


@pytest.mark.parametrize(
    ("path", "shape", "matrix"),
    [
        ("query", (32, 2, 16), (32, 32)),  # (dim, heads, size)
        ("attention_output", (2, 16, 32), (32, 32)),  # (heads, size, dim)
        ("feedforward_intermediate", (32, 128), (32, 128)),
        ("feedforward_output", (128, 32), (128, 32)),
    ],
)
def test_muon_turns_and_stretches_every_matrix_alike(path, shape, matrix):
    """All singular values of an update are about 1, as the quintic iteration leaves them, times rate and size."""
    import keras

    rng = np.random.default_rng(0)
    variable = keras.Variable(np.zeros(shape, "float32"), name=f"{path}_kernel")
    optimizer = pretrain.muon(0.01)
    optimizer.build([variable])
    gradient = rng.normal(size=shape).astype("float32")
    optimizer.apply([keras.ops.convert_to_tensor(gradient)])
    update = -keras.ops.convert_to_numpy(variable.value).reshape(matrix) / 0.01
    strengths = np.linalg.svd(update, compute_uv=False) / (0.2 * np.sqrt(max(matrix)))
    assert len(strengths) == 32
    assert strengths.min() > 0.5
    assert strengths.max() < 1.3
    assert np.sum(update * gradient.reshape(matrix)) > 0  # downhill


def test_muon_leaves_embeddings_biases_and_norms_to_adamw():
    model = pretrain.build_masked_lm(40, layers=1, dim=16, heads=2, seed=0)
    optimizer = pretrain.muon(0.01)
    optimizer.build(model.trainable_variables)
    others = {v.path for v in model.trainable_variables if optimizer._should_use_adamw(v)}
    by_muon = {v.path for v in model.trainable_variables} - others
    assert {path.rsplit("/", 1)[1] for path in by_muon} == {"kernel"}
    assert (
        len(by_muon) == 7
    )  # query, key, value, output, two of the feed-forward layer, one of the head
    assert not any("kernel" in path for path in others)


def test_positions_start_as_waves():
    model = pretrain.build_masked_lm(50, 1, 32, 4, seed=0)
    positions = np.asarray(model.backbone.embeddings.position_embedding.position_embeddings)
    assert positions.shape == (pretrain.LONGEST, 32)
    for position, column in ((0, 0), (5, 3), (127, 15)):
        angle = position / 10_000 ** (2 * column / 32)
        expected = 0.02 * 2**0.5 * np.array([np.sin(angle), np.cos(angle)])
        np.testing.assert_allclose(positions[position, [column, 16 + column]], expected, atol=1e-6)
    assert np.mean(positions**2) ** 0.5 == pytest.approx(0.02)  # as KerasHub's own start
    assert model.backbone.dropout == 0.0


def test_counts_tell_tokens_of_one_subject_from_those_of_another(monkeypatch):
    monkeypatch.setattr(
        pretrain, "ROWS", 1_000
    )  # blocks must not lose the pairs across their borders
    rng = np.random.default_rng(0)
    subjects = np.repeat(rng.integers(0, 2, 400), 50)
    tokens = (5 + 10 * subjects + rng.integers(0, 10, 20_000)).astype("uint16")
    embeddings, log_share = pretrain.count_statistics(tokens, 25, 6)
    assert embeddings.shape == (25, 6)
    assert embeddings.std() == pytest.approx(0.02)
    occurs = np.bincount(tokens, minlength=25)
    np.testing.assert_allclose(np.exp(log_share[5:]), occurs[5:] / len(tokens), rtol=0.01)
    assert (log_share[:5] < np.log(1e-4)).all()  # that do not occur, and are finite all the same
    assert np.isfinite(log_share).all()
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    cosines = unit @ unit.T
    same = cosines[5:15, 5:15].mean() + cosines[15:, 15:].mean()
    assert same / 2 > cosines[5:15, 15:].mean() + 0.5


def test_a_model_starts_from_the_counts():
    model = pretrain.build_masked_lm(50, 1, 32, 4, seed=0)
    tokens = np.random.default_rng(0).integers(5, 50, 5_000).astype("uint16")
    pretrain.start_from_counts(model, tokens)
    embeddings, log_share = pretrain.count_statistics(tokens, 50, 32)
    np.testing.assert_allclose(model.backbone.token_embedding.embeddings, embeddings, atol=1e-6)
    features = {
        "token_ids": tokens[None, :20].astype("int32"),
        "mask_positions": np.array([[1, 2]]),
    }
    features["padding_mask"] = np.ones((1, 20), "int32")
    before = np.asarray(model(features))
    bias = next(weight for weight in model.weights if weight.shape == (50,))
    bias.assign(np.zeros(50))
    np.testing.assert_allclose(
        before - np.asarray(model(features)), np.tile(log_share, (1, 2, 1)), atol=1e-4
    )


# --- whole runs ---

OPTIONS = [
    *("--tokens", "256", "--vocabulary", "400", "--layers", "1", "--dim", "32", "--heads", "2"),
    *("--rate", "0.05", "--every", "10"),
]


def run_here(text, work, out, steps, *more):
    """The script in this process; returns its report."""
    arguments = [
        "pretrain.py",
        text,
        "--out",
        out,
        "--work",
        work,
        "--steps",
        steps,
        *OPTIONS,
        *more,
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", list(map(str, arguments)))
        patch.setattr(pretrain, "print", lambda line: printed.append(line), raising=False)
        printed = []
        pretrain.main()
    return json.loads(printed[-1]), printed


def steps_in(work):
    """The steps of the log."""
    return [json.loads(line)["step"] for line in (work / "log.jsonl").read_text().splitlines()]


def arrays_in(checkpoint):
    """The weights and optimizer state of a checkpoint, in order."""
    with np.load(checkpoint) as stored:
        return [stored[str(number)] for number in range(len(stored.files) - 4)]


def check_same_training(got, expected):
    for a, b in zip(arrays_in(got), arrays_in(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def distance(one, other):
    pairs = zip(arrays_in(one), arrays_in(other), strict=True)
    return max(np.abs(a.astype("float64") - b).max() for a, b in pairs if a.dtype == np.float32)


@pytest.fixture(scope="module")
def uninterrupted(text, tmp_path_factory):
    """(work, preset, report): 40 steps in one go."""
    folder = tmp_path_factory.mktemp("uninterrupted")
    report, _ = run_here(text, folder / "work", folder / "preset", 40)
    return folder / "work", folder / "preset", report


@pytest.mark.slow
def test_a_whole_run(uninterrupted):
    work, preset, report = uninterrupted
    assert (report["steps"], report["tokens"]) == (40, 40 * 256)
    assert report["preset_bytes"] == sum(f.stat().st_size for f in preset.rglob("*") if f.is_file())
    entries = [json.loads(line) for line in (work / "log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in entries] == [10, 20, 30, 40]
    assert (
        entries[0]["loss"] < 3.5 < np.log(330)
    )  # made-up text: all there is to know are the counts
    assert 0 < entries[0]["accuracy"] <= 1
    for name, step in (("checkpoint", 40), ("level", 20)):
        with np.load(work / f"{name}.npz") as stored:
            assert (int(stored["step"]), int(stored["steps"])) == (step, 40)
    assert not list(work.glob("*.part.npz"))
    assert (preset / "training.jsonl").read_text() == (work / "log.jsonl").read_text()


@pytest.mark.slow
def test_a_text_that_can_be_predicted_is_learned(tmp_path):
    words = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
    turns = [" ".join(30 * [word]) for word in words]  # to be guessed from the neighbors alone
    (tmp_path / "text.txt").write_text("\n".join(20 * turns) + "\n")
    run_here(tmp_path / "text.txt", tmp_path / "work", tmp_path / "preset", 120)
    lines = (tmp_path / "work" / "log.jsonl").read_text().splitlines()
    first, last = (json.loads(lines[number]) for number in (0, -1))
    assert last["loss"] < first["loss"] - 0.3
    assert last["accuracy"] > first["accuracy"] + 0.1


@pytest.mark.slow
def test_the_preset_is_what_was_trained(uninterrupted):
    """Loaded with plain KerasHub calls: float16 on the disk, float32 in use."""
    import keras
    import keras_hub

    work, preset, report = uninterrupted
    backbone = keras_hub.models.RobertaBackbone.from_preset(str(preset))
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(str(preset))
    loaded = keras_hub.models.RobertaMaskedLM.from_preset(str(preset))
    assert backbone.count_params() == report["parameters"]
    assert {v.dtype for v in loaded.weights} == {"float32"}
    size = tokenizer.vocabulary_size()
    trained = pretrain.build_masked_lm(size, 1, 32, 2, seed=1)
    trained.set_weights(arrays_in(work / "checkpoint.npz")[: len(trained.weights)])
    features, _ = pretrain.batch_of_step(np.load(work / "tokens.npy"), 99, 512, size, seed=0)
    expected, got = (
        keras.ops.convert_to_numpy(model(features, training=False)) for model in (trained, loaded)
    )
    assert np.ptp(expected) > 1
    np.testing.assert_allclose(got, expected, atol=5e-3 * np.ptp(expected))
    states = [
        keras.ops.convert_to_numpy(
            model({name: features[name] for name in ("token_ids", "padding_mask")})
        )
        for model in (backbone, trained.backbone)
    ]
    np.testing.assert_allclose(*states, atol=5e-3 * np.ptp(states[1]))
    assert (
        np.asarray(tokenizer("A dog")).tolist() == loaded.preprocessor.tokenizer("A dog").tolist()
    )


@pytest.mark.release
def test_a_longer_run_goes_on_from_before_the_learning_rate_fell(uninterrupted, text, tmp_path):
    work = shutil.copytree(uninterrupted[0], tmp_path / "work")
    report, printed = run_here(text, work, tmp_path / "preset", 60)
    assert "goes on at step 20" in printed
    assert report["steps"] == 60
    assert steps_in(work) == [10, 20, 30, 40, 50, 60]
    run_here(text, tmp_path / "at once", tmp_path / "other", 60)
    check_same_training(work / "checkpoint.npz", tmp_path / "at once" / "checkpoint.npz")
    assert distance(work / "checkpoint.npz", uninterrupted[0] / "checkpoint.npz") > 0.01


@pytest.mark.release
def test_where_the_checkpoints_are_gone_a_run_goes_on_from_the_preset(
    uninterrupted, text, tmp_path
):
    first_work, first, _ = uninterrupted
    work, out = tmp_path / "work", tmp_path / "preset"
    report, printed = run_here(text, work, out, 60, "--start", first)
    assert "goes on at step 40" in printed
    assert (report["steps"], report["tokens"]) == (60, 60 * 256)
    assert steps_in(work) == [10, 20, 30, 40, 50, 60]
    entries = [json.loads(line) for line in (out / "training.jsonl").read_text().splitlines()]
    assert entries[3] == json.loads((first / "training.jsonl").read_text().splitlines()[3])
    assert entries[4]["seconds"] >= entries[3]["seconds"]
    for name in ("tokens.npy", "held_out.txt", "vocab.json"):  # the same tokens, the same held out
        assert (work / name).read_bytes() == (first_work / name).read_bytes()
    for name, step in (("checkpoint", 60), ("level", 50)):
        with np.load(work / f"{name}.npz") as stored:
            assert (int(stored["step"]), int(stored["first"])) == (step, 40)
    size = len(json.loads((work / "vocab.json").read_text()))
    model = pretrain.build_masked_lm(size, 1, 32, 2, seed=1)
    pretrain.start_from_preset(model, first, tmp_path / "log.jsonl")
    trained = arrays_in(first_work / "checkpoint.npz")[: len(model.weights)]
    for got, expected in zip(model.get_weights(), trained, strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-3, atol=1e-4)
    report, printed = run_here(text, work, out, 70, "--start", first)  # longer: from step 50
    assert "goes on at step 50" in printed
    with np.load(work / "level.npz") as stored:
        assert (int(stored["step"]), int(stored["first"])) == (55, 40)


@pytest.mark.slow
def test_a_finished_run_has_nothing_left_to_do(uninterrupted, text, tmp_path):
    work = shutil.copytree(uninterrupted[0], tmp_path / "work")
    report, printed = run_here(text, work, tmp_path / "preset", 40)
    assert "goes on at step 40" in printed
    assert steps_in(work) == [10, 20, 30, 40]
    assert report["steps"] == 40
    for name in ("model.weights.h5", "config.json"):
        assert (tmp_path / "preset" / name).exists()


@pytest.mark.slow
def test_short_sittings_lose_nothing(text, tmp_path):
    for step in (1, 2):
        report, printed = run_here(text, tmp_path, tmp_path / "preset", 40, "--minutes", "1e-9")
        assert report["step"] == step
        assert ("goes on at step 1" in printed) == (step == 2)
    assert steps_in(tmp_path) == [1, 2]


def fake_checkpoint(path, step, steps, first=0):
    np.savez(path, step=step, steps=steps, seconds=0.0, first=first)


@pytest.mark.parametrize(
    ("step", "planned", "steps", "name"),
    [
        (10, 40, 40, "checkpoint"),
        (35, 40, 40, "checkpoint"),  # the same run, its learning rate falling
        (10, 40, 80, "checkpoint"),  # longer, and it had not begun to fall
        (20, 40, 80, "checkpoint"),
        (21, 40, 80, "level"),
        (40, 40, 80, "level"),
    ],
)
def test_where_to_go_on_from(tmp_path, step, planned, steps, name):
    assert pretrain.last_checkpoint(tmp_path, steps) is None
    fake_checkpoint(tmp_path / "checkpoint.npz", step, planned)
    fake_checkpoint(tmp_path / "level.npz", 20, planned)
    assert pretrain.last_checkpoint(tmp_path, steps) == tmp_path / f"{name}.npz"


def test_the_level_part_is_counted_from_the_first_step(tmp_path):
    fake_checkpoint(tmp_path / "checkpoint.npz", 35, 50, first=30)
    assert pretrain.last_checkpoint(tmp_path, 60) == tmp_path / "checkpoint.npz"
    fake_checkpoint(tmp_path / "checkpoint.npz", 41, 50, first=30)
    assert pretrain.last_checkpoint(tmp_path, 60) == tmp_path / "level.npz"


def test_a_batch_smaller_than_a_window_is_refused(tmp_path, monkeypatch, capsys):
    arguments = ["pretrain.py", "none.txt", "--out", str(tmp_path), "--tokens", "127"]
    monkeypatch.setattr(sys, "argv", arguments)
    with pytest.raises(SystemExit):
        pretrain.main()
    assert "--tokens is 127; expected 128 or more" in capsys.readouterr().err


VICTIM = """
import sys, time
from tests.tools.test_pretrain import pretrain

made = pretrain.batch_of_step

def announced(tokens, step, *arguments):
    print("step", step, file=sys.__stdout__, flush=True)
    time.sleep(0.1)
    return made(tokens, step, *arguments)

pretrain.batch_of_step = announced
pretrain.main()
"""


@pytest.mark.release
def test_a_killed_run_goes_on_from_its_last_checkpoint(text, tmp_path):
    """SIGKILL leaves no time to save anything: what goes on in another process is what was on the disk.

    All runs have processes of their own: libraries that other tests have loaded here may round otherwise.
    """

    def run(work, preset):
        options = [text, "--out", preset, "--work", work, "--steps", "40", *OPTIONS]
        command = [sys.executable, str(SCRIPT), *map(str, options)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()

    work, preset = tmp_path / "work", tmp_path / "preset"
    options = [text, "--out", preset, "--work", work, "--steps", "40", *OPTIONS]
    command = [sys.executable, "-c", VICTIM, *map(str, options)]
    with (
        open(tmp_path / "errors", "w+") as errors,
        subprocess.Popen(
            command, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=errors
        ) as victim,
    ):
        deadline = threading.Timer(300, victim.kill)
        deadline.start()
        reached = first_saved = 0
        for line in victim.stdout:
            if line.startswith("step "):
                reached = int(line.split()[1])
                saved = (work / "checkpoint.npz").exists()
                first_saved = first_saved or (reached if saved else 0)
                if first_saved and reached >= first_saved + 4:
                    victim.send_signal(signal.SIGKILL)  # and read on: it may have come further
        deadline.cancel()
        victim.wait()
        errors.seek(0)
        assert victim.returncode == -signal.SIGKILL, errors.read()
    assert 10 <= first_saved < reached < 30
    assert not preset.exists()
    with np.load(work / "checkpoint.npz") as stored:
        last = int(stored["step"])
    assert last == reached - reached % 10
    for name in ("checkpoint", "level"):  # as if it had been killed while it wrote
        (work / f"{name}.part.npz").write_bytes((work / "checkpoint.npz").read_bytes()[:1000])

    lines = run(work, preset)
    assert f"goes on at step {last}" in lines
    report = json.loads(lines[-1])
    in_one_go = tmp_path / "in one go"
    expected = json.loads(run(in_one_go, tmp_path / "other preset")[-1])
    for name in ("steps", "tokens", "parameters"):
        assert report[name] == expected[name]
    assert steps_in(work) == [10, 20, 30, 40]
    check_same_training(work / "checkpoint.npz", in_one_go / "checkpoint.npz")
    assert distance(work / "checkpoint.npz", work / "level.npz") > 0.005
    assert (preset / "model.weights.h5").stat().st_size > 0

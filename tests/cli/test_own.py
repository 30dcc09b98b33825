"""Data of one's own on the command line: the pages of docs/ run, and faults are one line."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer
from matplotlib.figure import Figure

from siamese_course import own_data
from siamese_course.cli import own, train
from siamese_course.cli.main import typer_app
from siamese_course.cli.options import CHECKPOINTS, MODELS, SAVED, checkpoint_folder, require_folder
from siamese_course.models.encoder import MARKS, load
from siamese_course.models.images import ImageEncoder
from siamese_course.recipes import images as recipes
from siamese_course.recipes import questions
from siamese_course.recipes.image_encoders import default_encoder
from siamese_course.runtime.errors import CourseError
from siamese_course.runtime.files import whole_folder
from siamese_course.sources.question_pairs import QuestionPairs, number_questions
from tests.conftest import ROOT
from tests.own_data.test_images import write_images
from tools import pages


def course(*arguments, cwd):
    command = [sys.executable, "-m", "siamese_course.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.mark.parametrize("page", pages.PAGES)
def test_a_page_is_short_and_shows_its_chart(page):
    blocks = pages.blocks(page)
    assert [language for language, _ in blocks] == ["python", "sh", "python"]
    assert len(blocks[1][1].splitlines()) == 3
    assert len([line for line in blocks[2][1].splitlines() if line]) <= 12
    text = (ROOT / f"docs/{page}.md").read_text("utf-8")
    assert re.search(rf"!\[[^]]{{40,}}\]\(images/{page}\.png\)", text)
    assert (ROOT / f"docs/images/{page}.png").stat().st_size < 40_000


@pytest.mark.slow
@pytest.mark.parametrize("page", pages.PAGES)
def test_a_page_runs_from_an_empty_folder(page, tmp_path, shipped, monkeypatch):
    """In this process: to load TensorFlow for each command would take longer than the commands do."""
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "smoke")
    monkeypatch.setitem(questions.SENTENCE_STEPS, "small", 0.02)
    for words, output in pages.run(page, tmp_path):
        assert output or not words
        if words and words[0] == "train":
            report = json.loads(output.splitlines()[-1])
            assert report["test"]["n"] > 0
            made = {path.name for path in (tmp_path / "encoder").iterdir()}
            assert {"README.md", "chart.png", "report.json"} <= made
            assert not [name for name in made if name.startswith((".", CHECKPOINTS))]
    if page == "your-photos":
        hits = ast.literal_eval(output.splitlines()[-1])
        assert [name.split("/")[0] for name in hits[:2]] == ["hexagon", "hexagon"]


@pytest.mark.slow
def test_a_training_that_was_cut_off_goes_on(tmp_path, monkeypatch, capsys):
    write_images(tmp_path / "photos", per_class=10)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(own, "EPOCHS", 10)  # 40 steps, with a checkpoint every 8
    shift = recipes.shift_images
    drawn = iter(range(1000))

    def cut_off(images, rng):
        if next(drawn) == 30:
            raise KeyboardInterrupt
        return shift(images, rng)

    def train(out, **options):
        own.train_images(
            Path("photos"), Path(out), dim=4, size=12, gray=True, budget="smoke", seed=0, **options
        )
        return load(out).model.get_weights()

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(recipes, "shift_images", cut_off)
        train("a", resume=False)
    assert "add --resume" in capsys.readouterr().err
    assert [path.name for path in Path("a").iterdir()] == [CHECKPOINTS]
    with pytest.raises(CourseError, match="of other data, options or versions"):
        own.train_images(
            Path("photos"), Path("a"), dim=4, size=8, gray=True, budget="smoke", seed=0, resume=True
        )
    resumed, whole = train("a", resume=True), train("b", resume=False)
    for left, right in zip(resumed, whole, strict=True):
        np.testing.assert_allclose(left, right, atol=1e-5)
    assert not Path("a", CHECKPOINTS).exists()


def test_images_that_do_not_fit_the_encoder_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    ImageEncoder(default_encoder((8, 10), 4), [], (8, 10), 1).save("encoder")
    ImageEncoder(default_encoder((80,), 4)).save("flat")
    write_images(Path("photos"), per_class=2)
    np.savez("same.npz", images=np.zeros((2, 8, 10), "uint8"))
    np.savez("other.npz", images=np.zeros((2, 7, 10)))
    for collection in ("photos", "same.npz"):
        typer_app(["search", "encoder", collection, "photos/dark/0.png"], standalone_mode=False)
    assert "dark/0.png" in capsys.readouterr().out
    for words, message in (
        ("search encoder other.npz photos/dark/0.png", r"other.npz does not fit the encoder"),
        ("score encoder --images other.npz", r"other.npz does not fit the encoder"),
        ("map flat other.npz", r"other.npz does not fit the encoder"),
        ("search encoder photos missing.png", r"missing.png cannot be read as an image"),
    ):
        with pytest.raises(CourseError, match=message):
            typer_app(words.split(), standalone_mode=False)
    np.savez("flat.npz", images=np.zeros((2, 80)))
    with pytest.raises(CourseError, match="trained on flat images"):
        typer_app(["search", "flat", "flat.npz", "photos/dark/0.png"], standalone_mode=False)


@pytest.mark.parametrize(
    "words",
    [
        "quora --recipe course",
        "stsb --recipe course",
        "triplets",
        "questions --data x",
        "sentences --data x",
    ],
)
def test_training_on_text_processes_two_sides_at_a_time(words, tmp_path, monkeypatch):
    def halved():
        raise CourseError("halved")

    for module in (own, train):
        monkeypatch.setattr(module, "halve_cores", halved)
    with pytest.raises(CourseError, match="halved"):
        typer_app(["train", *words.split(), "--out", str(tmp_path)], standalone_mode=False)


# --- faults ---


@pytest.mark.parametrize("mark", MARKS)
def test_a_folder_with_another_encoder_is_refused(mark, tmp_path):
    """The old one would be loaded in place of the new one."""
    (tmp_path / mark).write_text("{}")
    assert require_folder(tmp_path, mark) == tmp_path
    for other in MARKS:
        if other != mark:
            with pytest.raises(CourseError, match=rf"holds another kind of encoder \({mark}"):
                require_folder(tmp_path, other)


TRAINED = {
    "mnist --recipe course": MODELS,
    "omniglot --recipe course": MODELS,
    "quora --recipe course": ("encoder.json",),
    "stsb --recipe course": ("sentence_encoder.json",),
    "triplets": ("sentence_encoder.json",),
    "images --data x": ("image_encoder.json",),
    "questions --data x": ("encoder.json",),
    "sentences --data x": ("sentence_encoder.json",),
}


@pytest.mark.parametrize("words", TRAINED)
def test_no_training_writes_beside_another_encoder(words, tmp_path):
    for mark in {*MARKS, *MODELS} - {*TRAINED[words]}:
        folder = tmp_path / mark
        folder.mkdir()
        (folder / mark).write_text("{}")
        with pytest.raises(CourseError, match=rf"holds another kind of encoder \({mark}\)"):
            typer_app(["train", *words.split(), "--out", str(folder)], standalone_mode=False)
        assert [path.name for path in folder.iterdir()] == [mark]


REPLACED = {
    "quora --recipe course": (*SAVED["questions"], "report.json"),
    "stsb --recipe course": (*SAVED["sentences"], "report.json"),
    "triplets": (*SAVED["sentences"], "report.json"),
    "triplets --data x": (*SAVED["sentences"], *own.FINISHED),
    "images --data x": (*SAVED["images"], *own.FINISHED),
    "questions --data x": (*SAVED["questions"], *own.FINISHED),
    "sentences --data x": (*SAVED["sentences"], *own.FINISHED),
}


@pytest.mark.parametrize("words", REPLACED)
def test_no_training_replaces_files_of_the_user(words, tmp_path):
    for name in set(REPLACED[words]) - {*MARKS}:
        folder = tmp_path / name
        (folder / name).mkdir(parents=True)
        (folder / name / "file").write_text("the user's own")
        with pytest.raises(CourseError, match=rf"holds {name}, which no training wrote"):
            typer_app(["train", *words.split(), "--out", str(folder)], standalone_mode=False)
        assert (folder / name / "file").read_text() == "the user's own"


def test_checkpoints_of_the_user_are_left_alone(tmp_path):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "mine.pt").touch()
    checkpoint_folder(tmp_path, resume=False)
    encoder = ImageEncoder(default_encoder((8, 10), 4), [], (8, 10), 1)
    own.finish(tmp_path, encoder, {"test": {"n": 1}, "data_source": "photos"}, "images", Figure())
    assert (tmp_path / "checkpoints" / "mine.pt").exists()


@pytest.mark.parametrize("found", ["image_encoder.json", CHECKPOINTS])
def test_a_folder_of_an_earlier_training_is_used_again(found, tmp_path):
    written = (*SAVED["images"], *own.FINISHED)
    assert require_folder(tmp_path, *written) == tmp_path
    for name in ("encoder.keras", "README.md", "notes.txt"):
        (tmp_path / name).touch()
    with pytest.raises(CourseError, match=r"holds encoder.keras, which no training wrote"):
        require_folder(tmp_path, *written)
    (tmp_path / found).mkdir() if found == CHECKPOINTS else (tmp_path / found).touch()
    assert require_folder(tmp_path, *written) == tmp_path


@pytest.mark.parametrize(("data", "own"), [("mnist", "knn5"), ("omniglot", "one_shot")])
def test_a_model_of_the_other_data_is_not_overwritten(data, own, tmp_path, monkeypatch):
    """Both have the same names."""
    monkeypatch.setattr(train, "_train_images", lambda *arguments: (tmp_path / "trained").touch())
    words = ["train", data, "--recipe", "course", "--out", str(tmp_path)]
    for figure in ("knn5", "one_shot"):
        (tmp_path / "course.json").write_text(f'{{"{figure}_accuracy": 0.9}}')
        if figure == own:
            typer_app(words, standalone_mode=False)
            assert (tmp_path / "trained").exists()
        else:
            with pytest.raises(CourseError, match=r"another kind of encoder \(course.keras\)"):
                typer_app(words, standalone_mode=False)


def test_a_comparison_writes_beside_no_other_encoder(tmp_path):
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "image_encoder.json").write_text("{}")
    words = ["train", "quora", "--recipe", "compare", "--out", str(tmp_path)]
    with pytest.raises(CourseError, match="course holds another kind of encoder"):
        typer_app(words, standalone_mode=False)
    assert [path.name for path in tmp_path.iterdir()] == ["course"]


def test_a_folder_that_is_tried_is_not_left_behind(tmp_path):
    require_folder(tmp_path / "new" / "folder")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CourseError, match=r"^/proc/none cannot be used as a folder"):
        typer_app(["copy", "/proc/none"], standalone_mode=False)


def test_the_readme_of_an_image_encoder_searches_by_a_file(tmp_path, capsys):
    encoder = ImageEncoder(default_encoder((8, 10), 4), [], (8, 10), 1)
    report = {"test": {"n": 1}, "data_source": "photos"}
    own.finish(tmp_path, encoder, report, "images", Figure())
    assert f"search {tmp_path} COLLECTION QUERY.png\n" in (tmp_path / "README.md").read_text()
    out = tmp_path / "my encoder"
    own.finish(out, encoder, report, "images", Figure())
    text = (out / "README.md").read_text()
    assert f'search "{out}" COLLECTION' in text and f'map "{out}" COLLECTION' in text
    assert f'load("{out}")' in text


def test_a_folder_is_written_wholly_or_not_at_all(tmp_path):
    folder = tmp_path / "new" / "encoder"
    with pytest.raises(CourseError, match="Nothing was saved"), whole_folder(folder) as part:
        (part / "a").write_text("half")
        raise OSError(28, "No space left on device")
    assert not folder.exists()
    with whole_folder(folder) as part:
        (part / "a").write_text("whole")
    with pytest.raises(CourseError), whole_folder(folder) as part:
        (part / "a").write_text("other")
        raise OSError(28, "No space left on device")
    assert [(path.name, path.read_text()) for path in folder.iterdir()] == [("a", "whole")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("train images --data empty --out out", "holds no image"),
        ("train images --data missing --out out", "^missing does not exist"),
        ("train images --data q.csv --out out", "q.csv is neither a folder of images nor an .npz"),
        ("train images --data nolab.npz --out out", "the .npz file holds no array 'labels'"),
        ("train questions --data xl.xlsx --out out", "no table: .*Save Excel files as .csv"),
        ("train sentences --data xl.xlsx --out out", "no table: .*Save Excel files as .csv"),
        ("train triplets --data xl.xlsx --out out", "no table: .*Save Excel files as .csv"),
        ("train questions --data no.csv --out out", "cannot be read"),
        ("train sentences --data no.tsv --out file/out", "cannot be used as a folder"),
        ("search empty file query", "holds no encoder"),
    ],
)
def test_a_fault_says_what_is_wrong(words, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("empty").mkdir()
    Path("file").write_text("text")
    Path("q.csv").write_text("question1,question2\n")
    Path("xl.xlsx").write_bytes(b"PK\x03\x04\xff")
    np.savez("nolab.npz", images=np.zeros((20, 8, 10)))
    with pytest.raises(CourseError, match=message) as fault:
        typer_app(words.split(), standalone_mode=False)
    assert "\n" not in str(fault.value)
    assert not Path("out").exists()


def test_a_size_that_no_memory_holds_is_refused():
    with pytest.raises(typer.BadParameter, match="1024"):
        typer_app(
            ["train", "images", "--data=x", "--out=out", "--size=1025"], standalone_mode=False
        )


@pytest.mark.parametrize("words", ["train sentences --data x --out x", "cluster x x"])
def test_a_seed_that_numpy_refuses_is_refused(words):
    with pytest.raises(typer.BadParameter, match="4294967295"):
        typer_app([*words.split(), f"--seed={2**32}"], standalone_mode=False)


def test_pairs_that_are_in_two_splits_are_counted(capsys):
    names = [f"question {n}" for n in range(120)]
    numbers = np.arange(0, 120, 2)
    others = [(names[n], names[(n + 2 * m + 1) % 120]) for n in numbers for m in range(1, 11)]
    left, right = map(list, zip(*zip(names[::2], names[1::2], strict=True), *others, strict=True))
    same = np.repeat([1, 0], [60, 600])
    pairs = QuestionPairs(left, right, same, *number_questions(left, right))
    data = own_data.split_question_pairs(pairs, "pairs")
    out = capsys.readouterr().out
    left_out, drawn = map(int, re.findall(r"^(\d+) pairs left out", out, re.MULTILINE))
    assert f"{left_out} pairs left out: their questions are in two splits.\n" in out
    assert f"{drawn} pairs left out of validation and test" in out
    assert len(pairs) == left_out + drawn + sum(map(len, (data.train, data.validation, data.test)))


@pytest.mark.slow
def test_a_fault_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    run = course("train", "images", "--data", ".", "--out", "out", cwd=tmp_path)
    assert run.returncode == 1
    assert "holds no image" in run.stderr and len(run.stderr.splitlines()) == 1

"""Data of one's own on the command line: the pages of docs/ run, and faults are one line."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from siamese_course.datasets import own_files
from siamese_course.runtime.errors import CourseError, DataError
from siamese_course.runtime.files import whole_folder
from tests.conftest import ROOT

PAGES = ("your-photos", "your-faq", "your-sentences")


def course(*arguments, cwd):
    command = [sys.executable, "-m", "siamese_course.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs_from_an_empty_folder(page, tmp_path, shipped, monkeypatch):
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "smoke")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    blocks = re.findall(
        r"```(python|sh)\n(.*?)```", (ROOT / f"docs/{page}.md").read_text(), re.DOTALL
    )
    assert [language for language, _ in blocks] == ["python", "sh", "python"]
    assert len(blocks[1][1].splitlines()) == 3
    assert len([line for line in blocks[2][1].splitlines() if line]) <= 12
    for language, code in blocks:
        lines = [code] if language == "python" else code.splitlines()
        for line in lines:
            words = shlex.split(line)[1:] if language == "sh" else None
            command = ["-c", line] if words is None else ["-m", "siamese_course.cli", *words]
            run = subprocess.run(
                [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True
            )
            assert run.returncode == 0, (line, run.stdout[-500:], run.stderr[-2000:])
            if words and words[0] == "train":
                report = json.loads(run.stdout.splitlines()[-1])
                assert report["test"]["n"] > 0
                made = {path.name for path in (tmp_path / "encoder").iterdir()}
                assert {"README.md", "chart.png", "report.json"} <= made
                assert not [name for name in made if name.startswith(".")]


# --- readers ---


def write_images(folder, per_class=6):
    from PIL import Image

    for label, name in enumerate(("dark", "light")):
        (folder / name).mkdir(parents=True)
        for number in range(per_class):
            pixels = np.full((8, 10, 3), 100 * label + number, "uint8")
            Image.fromarray(pixels).save(folder / name / f"{number}.png")


def test_images_come_from_folders_and_npz(tmp_path):
    write_images(tmp_path / "photos")
    found = own_files.read_images(tmp_path / "photos")
    assert found.images.shape == (12, 8, 10, 3) and found.classes == ["dark", "light"]
    assert own_files.read_images(tmp_path / "photos", (4, 4), 1).images.shape == (12, 4, 4)
    np.savez(tmp_path / "a.npz", images=found.images, labels=np.repeat(["x", "y"], 6))
    again = own_files.read_images(tmp_path / "a.npz")
    assert np.array_equal(again.images, found.images) and again.classes == ["x", "y"]
    (tmp_path / "photos" / "dark" / "broken.png").write_text("no image")
    with pytest.raises(DataError, match=r"broken.png cannot be read as an image"):
        own_files.read_images(tmp_path / "photos")


def test_copies_of_an_image_are_in_one_split():
    images = np.repeat(np.random.default_rng(0).random((20, 2, 2), "float32"), 3, axis=0)
    data = own_files.Images(images, np.repeat([0, 1], 30), ["a", "b"], [""] * 60)
    train, test = own_files.split_images(data)
    assert not set(train // 3) & set(test // 3) and len(train) + len(test) == 60
    with pytest.raises(DataError, match="'a' has 1 different images"):
        own_files.split_images(
            own_files.Images(images[:6] * 0, np.repeat([0, 1], 3), ["a", "b"], [])
        )


ROWS = [("a cat", "the cat", 1), ("a dog", "the dog", 1), ("a cow", "rain falls", 0)]


def write_table(path, columns):
    import pandas as pd

    table = pd.DataFrame(ROWS, columns=columns)
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path)
    elif path.suffix == ".jsonl":
        table.to_json(path, orient="records", lines=True)
    else:
        table.to_csv(path, sep="," if path.suffix == ".csv" else "\t", index=False)
    return path


@pytest.mark.parametrize("suffix", ["tsv", "csv", "jsonl", "parquet"])
def test_every_format_gives_the_same_rows(suffix, tmp_path, capsys):
    path = write_table(tmp_path / f"q.{suffix}", ["question1", "question2", "is_duplicate"])
    pairs = own_files.read_question_pairs(path)
    assert list(zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)) == ROWS
    path = write_table(tmp_path / f"s.{suffix}", ["sentence1", "sentence2", "score"])
    scored = own_files.read_own_scores(path)
    assert scored.score.tolist() == [5, 5, 0] and "multiplied by 5" in capsys.readouterr().out
    assert scored.sentence1 == ["a cat", "a dog", "a cow"]
    path = write_table(tmp_path / f"t.{suffix}", ["anchor", "positive", "negative"])
    assert own_files.read_own_triplets(path).negative == ["1", "1", "0"]
    with pytest.raises(DataError, match=r"missing: score|header with score"):
        own_files.read_own_scores(path)


def test_no_text_is_in_two_splits():
    names = [f"sentence {n}" for n in range(60)]
    pairs = own_files.ScoredPairs(names[:-1], names[1:], np.linspace(0, 5, 59))
    with pytest.raises(DataError, match="cannot be split"):
        own_files.split_scored_pairs(pairs, "linked")
    pairs = own_files.ScoredPairs(names[::2], names[1::2], np.linspace(0, 5, 30))
    data = own_files.split_scored_pairs(pairs, "pairs")
    texts = [
        {*rows.sentence1, *rows.sentence2} for rows in (data.train, data.validation, data.test)
    ]
    assert sum(map(len, texts)) == len(set.union(*texts)) == 60
    triplets = own_files.Triplets(names[:20], names[20:40], names[40:])
    data = own_files.split_triplets(triplets, "triplets")
    assert len(data.train) + len(data.validation) + len(data.test) == 20


# --- faults ---


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
    ("arguments", "message"),
    [
        (["train", "images", "--data", "empty", "--out", "out"], "holds no image"),
        (["train", "questions", "--data", "no.csv", "--out", "out"], "cannot be read"),
        (
            ["train", "sentences", "--data", "no.tsv", "--out", "file/out"],
            "cannot be used as a folder",
        ),
        (["search", "empty", "file", "query"], "holds no encoder"),
    ],
)
def test_a_fault_is_one_line(arguments, message, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("text")
    run = course(*arguments, cwd=tmp_path)
    assert run.returncode == 1
    assert message in run.stderr and len(run.stderr.splitlines()) == 1

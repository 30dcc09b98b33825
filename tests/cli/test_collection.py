"""Commands that use an encoder on a collection: encoders of every kind, tiny and untrained, in this process."""

import json
import re
import subprocess
import sys
from pathlib import Path

import keras
import numpy as np
import pytest
from PIL import Image

from siamese_course.batching import tokens
from siamese_course.cli.main import typer_app
from siamese_course.cli.options import SAVED
from siamese_course.models import questions
from siamese_course.models.encoder import load
from siamese_course.models.images import ImageEncoder
from siamese_course.models.sentences import make_encoder
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError
from tests.conftest import ROOT
from tests.tools import SENTENCES, write_tiny_preset

TEXTS = ["How old are you?", "What is <it>?", "Who has [bold] hair?", "Why not?", "Where to?"]
PER_CLASS = 6


def course(*words):
    typer_app([str(word) for word in words], standalone_mode=False)


def rows_of(text):
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture(scope="module")
def preset(tmp_path_factory):
    return write_tiny_preset(tmp_path_factory.mktemp("preset"))


@pytest.fixture(scope="module")
def encoders(tmp_path_factory, preset):
    """The folder of an encoder of each kind; the images' embedding is the pixels."""
    folder = tmp_path_factory.mktemp("encoders")
    pixels = keras.Sequential([keras.Input((6, 4, 3)), keras.layers.Flatten()])
    ImageEncoder(pixels, ["dark", "light"], (6, 4), 3).save(folder / "images")
    vocabulary = tokens.build_vocabulary(TEXTS, tokens.simple_tokenizer)
    model = questions.build_course_encoder(len(vocabulary) + 3, 4, 4, buckets=2)
    forward = questions.compiled_forward(model)
    questions.QuestionEncoder(
        "keras", "course", vocabulary, model, forward, buckets=2, max_length=8, threshold=0.5
    ).save(folder / "questions")
    make_encoder(str(preset), max_length=20).save(folder / "sentences")
    return folder


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A folder of images, a text and a table, in the current folder."""
    monkeypatch.chdir(tmp_path)
    for label, name in enumerate(("dark", "light")):
        Path("photos", name).mkdir(parents=True)
        for number in range(PER_CLASS):
            image = np.zeros((6, 4, 3), "uint8")
            image[..., label] = 100 + 20 * number  # red or green
            Image.fromarray(image).save(f"photos/{name}/{number}.png")
    Path("texts.txt").write_text("\n".join(TEXTS) + "\n")
    rows = [f'{number},"{text}"' for number, text in enumerate(TEXTS)]
    Path("table.csv").write_text("\n".join(["id,Text", *rows]) + "\n")
    return tmp_path


@pytest.mark.parametrize("kind", SAVED)
def test_what_save_writes_is_known(encoders, kind):
    """So that training replaces nothing else."""
    assert {path.name for path in (encoders / kind).iterdir()} <= {*SAVED[kind]}


KINDS = [
    ("images", ["photos"], "photos/dark/3.png", "dark/"),
    ("questions", ["texts.txt"], TEXTS[1], TEXTS[1]),
    ("sentences", ["table.csv", "--column", "text"], TEXTS[2], TEXTS[2]),
]


@pytest.mark.parametrize(("kind", "collection", "query", "expected"), KINDS)
def test_search_finds_the_query_itself_first(
    encoders, data, capsys, kind, collection, query, expected
):
    path, *options = collection
    course("search", encoders / kind, path, query, "--k", 2, "--json", *options)
    rows = rows_of(capsys.readouterr().out)
    assert [(row["query"], row["rank"]) for row in rows] == [(query, 1), (query, 2)]
    assert rows[0]["item"].startswith(expected) and rows[0]["cosine"] == pytest.approx(1, abs=1e-3)
    course("search", encoders / kind, path, query, *options)
    assert "cosine" in capsys.readouterr().out


@pytest.mark.parametrize(("kind", "collection", "query", "expected"), KINDS)
def test_duplicates_and_clusters_are_json_lines(
    encoders, data, capsys, kind, collection, query, expected
):
    path, *options = collection
    course("duplicates", encoders / kind, path, "--top", 2, "--json", *options)
    rows = rows_of(capsys.readouterr().out)
    assert len(rows) == 2 and all(row.keys() == {"cosine", "left", "right"} for row in rows)
    course("cluster", encoders / kind, path, "--k", 2, "--json", *options)
    rows = rows_of(capsys.readouterr().out)
    assert {row["cluster"] for row in rows} == {0, 1}
    if kind == "images":
        by_cluster = {(row["cluster"], row["item"].split("/")[0]) for row in rows}
        assert len(rows) == 2 * PER_CLASS and len(by_cluster) == 2
    else:
        assert sorted(row["item"] for row in rows) == sorted(TEXTS)


@pytest.mark.parametrize(
    ("kind", "collection", "query", "notice"),
    [
        ("images", "photos", "photos/dark/3.png", "files that are skipped"),
        ("sentences", "texts.txt", TEXTS[0], "sentences are longer than 20 tokens"),
    ],
)
def test_notices_are_no_json_lines(encoders, data, capsys, kind, collection, query, notice):
    Path("photos/notes.doc").touch()
    Path("texts.txt").write_text("\n".join([*TEXTS, 20 * "again "]) + "\n")
    for words in (
        ("search", encoders / kind, collection, query),
        ("duplicates", encoders / kind, collection),
        ("cluster", encoders / kind, collection, "--k", 2),
    ):
        course(*words, "--json")
        told = capsys.readouterr()
        assert rows_of(told.out) and notice in told.err
        course(*words)
        assert notice in capsys.readouterr().out
    course("map", encoders / kind, collection)
    told = capsys.readouterr()
    assert len(rows_of(told.out)) == 1 and notice in told.err


@pytest.mark.parametrize("kind", ["questions", "sentences"])
def test_a_map_of_texts_shows_each_of_them(encoders, data, capsys, kind):
    course("map", encoders / kind, "texts.txt", "--projector", "logs", "--k", 2)
    told = rows_of(capsys.readouterr().out)
    dim = load(encoders / kind).encode(TEXTS).shape[1]
    assert told == [{"items": 5, "dim": dim, "page": "map.html"}]
    page = Path("map.html").read_text("utf-8")
    assert page.count("<circle ") == 5 and "What is &lt;it&gt;?" in page
    assert np.loadtxt("logs/vectors.tsv").shape == (5, dim)
    assert Path("logs/metadata.tsv").read_text("utf-8").splitlines() == TEXTS
    assert "sprite" not in Path("logs/projector_config.pbtxt").read_text()
    assert not Path("logs/sprite.png").exists()


def test_a_map_of_images_has_a_sprite(encoders, data, capsys):
    course("map", encoders / "images", "photos", "--projector", "logs", "--out", "page.html")
    assert rows_of(capsys.readouterr().out)[0]["items"] == 12
    page = Path("page.html").read_text("utf-8")
    assert page.count("data:image/png") == 12 and "light/5.png (light)" in page
    header, first, *_ = Path("logs/metadata.tsv").read_text("utf-8").splitlines()
    assert (header, first) == ("item\tclass", "dark/0.png\tdark")
    config = Path("logs/projector_config.pbtxt").read_text()
    assert re.findall(r"single_image_dim: (\d+)", config) == ["32", "32"]
    with Image.open("logs/sprite.png") as sprite:
        assert sprite.size == (4 * 32, 4 * 32)
        places = [(16, 16), (16 + 32, 16), (16 + 3 * 32, 16 + 2 * 32)]  # images 0, 1 and 11
        for place, color in zip(places, [(100, 0, 0), (120, 0, 0), (0, 200, 0)], strict=True):
            assert sprite.getpixel(place) == pytest.approx(color, abs=1)


def test_rows_of_one_dimension_or_all_equal_have_a_place():
    """In a process of its own: scikit-learn's t-SNE ends it where all rows are equal."""
    code = (
        "import numpy as np; from siamese_course.cli.collection import _plane; "
        "print(_plane(np.arange(9.0)[:, None]).shape, np.ptp(_plane(np.ones((9, 5)))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "(9, 2) 0.0\n"


@pytest.mark.parametrize(("kind", "collection", "query", "expected"), KINDS)
def test_embed_writes_a_collection_whole(encoders, data, capsys, kind, collection, query, expected):
    path, *options = collection
    course("embed", path, "--encoder", encoders / kind, "--out", "e", *options)
    rows = np.load("e/embeddings.npy")
    items = Path("e/items.tsv").read_text("utf-8").splitlines()
    assert rows_of(capsys.readouterr().out) == [{"items": len(items), "dim": rows.shape[1]}]
    if kind == "images":
        assert rows[0].reshape(6, 4, 3)[0, 0] == pytest.approx([100 / 255, 0, 0])
        assert items[:2] == ["dark/0.png", "dark/1.png"]
    else:
        assert items == TEXTS
        np.testing.assert_allclose(rows, load(encoders / kind).encode(TEXTS), atol=1e-5)
    assert Path("e/projector/sprite.png").exists() == (kind == "images")


def test_images_are_scored(encoders, data, capsys):
    """Red and green: every test image has neighbors of its class."""
    course("score", encoders / "images", "--images", "photos")
    report = rows_of(capsys.readouterr().out)[0]
    assert report == {"n": 12 - report["neighbors"], "neighbors": report["neighbors"]} | {
        "knn5_accuracy": 1.0
    }
    assert report["n"] in (2, 3, 4)


@pytest.mark.parametrize("kind", ["images", "missing"])
def test_a_folder_without_an_encoder_of_pairs_is_named_before_the_pairs(encoders, kind):
    with pytest.raises(CourseError, match=f"{kind} contains no question or sentence encoder"):
        course("score", encoders / kind, "--pairs", "missing.tsv")


@pytest.mark.slow
def test_triplets_of_ones_own_are_trained_on(preset, data, capsys):
    rows = [
        f"{text} {n}\t{text} Again {n}.\tRain on {text} {n}."
        for n in range(6)
        for text in SENTENCES
    ]
    rows += ["One more.\tThe same.\tThe same."]
    Path("triplets.tsv").write_text("\n".join(["anchor\tpositive\tnegative", *rows]) + "\n")
    words = f"train triplets --data triplets.tsv --out encoder --backbone {preset} --budget smoke"
    course(*words.split())
    out = capsys.readouterr().out
    assert "in 1 of 37 triplets the positive and the negative are the same text" in out
    report = json.loads(out.splitlines()[-1])
    assert report["test"]["n"] > 0 and 0 <= report["test"]["accuracy"] <= 1
    made = {path.name for path in Path("encoder").iterdir()}
    assert {"README.md", "chart.png", "report.json", "sentence_encoder.json"} <= made
    assert load("encoder").encode(TEXTS).shape == (5, 32)


# --- faults ---


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("embed table.csv --encoder {}/sentences", "is a table; name the column .* --column"),
        ("embed x.xlsx --encoder {}/sentences", r"x.xlsx is no table: .*Save Excel files as .csv"),
        ("embed photos --encoder {}/images --workers 2", "--workers is for lines of text"),
        ("embed texts.txt --encoder {}/questions --scheduler a:1", "--scheduler is for lines"),
        ("embed texts.txt --encoder missing", "^missing does not exist"),
        ("embed missing.txt --encoder {}/questions", "missing.txt does not exist"),
        ("embed missing.txt --encoder {}/sentences", "missing.txt does not exist"),
        ("embed photos --encoder {}/sentences", "for texts, and photos holds images"),
    ],
)
def test_embed_refuses_and_leaves_no_folder(encoders, data, words, message):
    Path("x.xlsx").write_bytes(b"PK\x03\x04\xff")
    with pytest.raises(CourseError, match=message):
        course(*words.format(encoders).split(), "--out", "new/e")
    assert not Path("new").exists()


def test_an_unknown_backend_is_refused(monkeypatch, capsys):
    monkeypatch.setenv("KERAS_BACKEND", "nonsense")
    with pytest.raises(CourseError, match="KERAS_BACKEND is 'nonsense'; expected one of"):
        course("search", "encoder", "texts.txt", "query")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(CourseError, match="KERAS_BACKEND is 'jax', which is not installed"):
        course("search", "encoder", "texts.txt", "query")
    course("--version")
    assert "siamese-course" in capsys.readouterr().out

"""Files of one's own: every format gives the same rows, and what cannot be read is named."""

import numpy as np
import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError

# --- images ---


def write_images(folder, per_class=6):
    from PIL import Image

    for label, name in enumerate(("dark", "light")):
        (folder / name).mkdir(parents=True)
        for number in range(per_class):
            pixels = np.full((8, 10, 3), 100 * label + number, "uint8")
            Image.fromarray(pixels).save(folder / name / f"{number}.png")


def test_images_come_from_folders_and_npz(tmp_path):
    write_images(tmp_path / "photos")
    found = own_data.read_images(tmp_path / "photos")
    assert found.images.shape == (12, 8, 10, 3) and found.classes == ["dark", "light"]
    assert own_data.read_images(tmp_path / "photos", (4, 4), 1).images.shape == (12, 4, 4)
    np.savez(tmp_path / "a.npz", images=found.images, labels=np.repeat(["x", "y"], 6))
    again = own_data.read_images(tmp_path / "a.npz")
    assert np.array_equal(again.images, found.images) and again.classes == ["x", "y"]
    (tmp_path / "photos" / "dark" / "broken.png").write_text("no image")
    with pytest.raises(DataError, match=r"broken.png cannot be read as an image"):
        own_data.read_images(tmp_path / "photos")


def save_image(path, array, mode=None, **options):
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    image = Image.fromarray(array)
    (image.convert(mode) if mode else image).save(path, **options)


def test_images_of_every_kind_are_read_alike(tmp_path):
    """A dark square; transparent pixels are white, and 16 bits are not cut off at 255."""
    pixels = np.full((6, 6), 255, "uint8")
    pixels[2:4, 2:4] = 51
    color = np.stack([pixels] * 3, axis=2)
    alpha = np.where(pixels == 255, 0, 255).astype("uint8")
    clear = np.dstack([np.where(alpha[..., None] == 0, 7, color), alpha]).astype("uint8")
    save_image(tmp_path / "rgb.png", color)
    save_image(tmp_path / "rgba.png", clear)
    save_image(tmp_path / "gray_alpha.png", clear, "LA")
    save_image(tmp_path / "palette.png", color, "P")
    save_image(tmp_path / "clear_palette.png", (pixels == 51).astype("uint8"), "P", transparency=0)
    save_image(tmp_path / "16_bits.png", pixels.astype("uint16") * 257)
    save_image(tmp_path / "one_bit.png", pixels == 255)
    found = own_data.read_images(tmp_path)
    assert found.images.shape == (7, 6, 6, 3)
    for name, image in zip(found.names, found.images, strict=True):
        assert np.all(image[0] == 1.0), name
        expected = 51 / 255 if "bit.png" not in name and "clear" not in name else image[2, 2, 0]
        assert image[2, 2] == pytest.approx(expected, abs=0.01) and image[2, 2, 0] < 0.3, name
    save_image(tmp_path / "decimals.tif", pixels.astype("float32") / 255)
    with pytest.raises(DataError, match=r"decimals.tif .*decimal numbers"):
        own_data.read_images(tmp_path)


def test_folders_as_people_have_them(tmp_path, capsys):
    write_images(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "dark" / "notes.txt").write_text("no image")
    (tmp_path / "dark" / "._0.png").write_text("what macOS adds")
    save_image(tmp_path / ".ipynb_checkpoints" / "0.png", np.zeros((4, 4), "uint8"))
    found = own_data.read_images(tmp_path)
    assert (len(found), found.classes) == (12, ["dark", "light"])
    assert "no image in empty; left out" in capsys.readouterr().out
    save_image(tmp_path / "stray.png", np.zeros((4, 4), "uint8"))
    with pytest.raises(DataError, match=r"subfolder a class; stray.png is in none"):
        own_data.split_images(own_data.read_images(tmp_path, (4, 4)))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"images": np.full((3, 4, 4), 200.0)}, "values from 200 to 200"),
        ({"images": np.full((3, 4, 4), np.nan)}, "images"),
        ({"images": np.zeros(3)}, r"shape \(3,\)"),
        ({"pictures": np.zeros((3, 4, 4))}, "no array 'images'"),
        ({"images": np.array([{}, {}])}, "no array 'images'"),
        ({"images": np.zeros((3, 4, 4)), "labels": np.zeros(2)}, r"3 images and labels .*\(2,\)"),
        ({"images": np.zeros((3, 4, 4)), "labels": np.full(3, np.nan)}, "not NaN"),
    ],
)
def test_arrays_that_are_no_images_are_refused(arrays, message, tmp_path):
    np.savez(tmp_path / "a.npz", **arrays)
    with pytest.raises(DataError, match=message):
        own_data.read_images(tmp_path / "a.npz")


@pytest.mark.parametrize("content", [b"", b"PK half", b"no zip file at all"])
def test_a_file_that_is_no_archive_is_refused(content, tmp_path):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"expected an \.npz file"):
        own_data.read_images(tmp_path / "a.npz")


def test_copies_of_an_image_are_in_one_split():
    images = np.repeat(np.random.default_rng(0).random((20, 2, 2), "float32"), 3, axis=0)
    data = own_data.Images(images, np.repeat([0, 1], 30), ["a", "b"], [""] * 60)
    train, test = own_data.split_images(data)
    assert not set(train // 3) & set(test // 3) and len(train) + len(test) == 60
    with pytest.raises(DataError, match="'a' has 1 different images"):
        own_data.split_images(own_data.Images(images[:6] * 0, np.repeat([0, 1], 3), ["a", "b"], []))


# --- tables ---

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
    pairs = own_data.read_question_pairs(path)
    assert list(zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)) == ROWS
    path = write_table(tmp_path / f"s.{suffix}", ["sentence1", "sentence2", "score"])
    scored = own_data.read_own_scores(path)
    assert scored.score.tolist() == [5, 5, 0] and "multiplied by 5" in capsys.readouterr().out
    assert scored.sentence1 == ["a cat", "a dog", "a cow"]
    path = write_table(tmp_path / f"t.{suffix}", ["anchor", "positive", "negative"])
    assert own_data.read_own_triplets(path).negative == ["1", "1", "0"]
    with pytest.raises(DataError, match=r"missing: score|header with score"):
        own_data.read_own_scores(path)


@pytest.mark.parametrize("suffix", ["csv", "tsv"])
@pytest.mark.parametrize("beginning", ["", "\ufeff"])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tables_as_spreadsheets_write_them(suffix, beginning, ending, tmp_path):
    """With a byte order mark, lines of Windows, semicolons, other columns, and names in another case."""

    def write(*names):
        delimiter = ";" if suffix == "csv" else "\t"
        rows = [(*names, "Note"), *((*row, "") for row in ROWS)]
        lines = [delimiter.join(map(str, row)) for row in rows]
        path = tmp_path / f"{names[0]}.{suffix}"
        path.write_bytes((beginning + ending.join(lines) + ending).encode())
        return path

    pairs = own_data.read_question_pairs(write("Question1", "Question2", "is_duplicate"))
    assert list(zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)) == ROWS
    path = write("Sentence1", "Sentence2", "Score")
    assert own_data.read_own_scores(path).score.tolist() == [5, 5, 0]
    assert own_data.read_texts(path, "Sentence1") == ["a cat", "a dog", "a cow"]
    with pytest.raises(DataError, match="is a table; name the column"):
        own_data.read_texts(path)
    triplets = own_data.read_own_triplets(write("Anchor", "Positive", "Negative"))
    assert triplets.positive == ["the cat", "the dog", "rain falls"]


SCORES = "sentence1,sentence2,score\na,b,{}\nc,d,{}\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("s.csv", SCORES.format(85, 20), r"line 2: the score is '85'; .* from 0 to 5"),
        ("s.csv", SCORES.format("85%", "20%"), r"the score is '85%'"),
        ("s.csv", SCORES.format("nan", 1), r"the score is 'nan'"),
        ("s.csv", SCORES.replace(",", ";").format("4,5", 1), r"the score is '4,5'"),
        ("s.csv", SCORES.format("1,2", 1), r"line 2: 4 columns instead of 3"),
        ("s.csv", "sentence1,score\na,1\n", r"expected a header with score, sentence1, sentence2"),
        ("s.csv", "", "expected a header"),
        ("s.csv", "sentence1,sentence2,score\n", "holds no sentence pair"),
        (
            "s.jsonl",
            '{"sentence1": "a", "sentence2": "b", "score": 85}\n',
            "score goes from 85 to 85; expected 0 to 5",
        ),
        (
            "s.jsonl",
            '{"sentence1": "a", "sentence2": "b", "score": 1}\n{"sentence1": "a", "score": 1}\n',
            "row 2: sentence2 is empty",
        ),
        (
            "s.jsonl",
            '{"sentence1": null, "sentence2": "b", "score": 1}\n',
            "row 1: sentence1 is empty",
        ),
        (
            "s.jsonl",
            '{"sentence1": ["a"], "sentence2": "b", "score": 1}\n',
            "row 1: sentence1 is a list",
        ),
        ("s.jsonl", "[1, 2]\n{", "cannot be read as a table"),
    ],
)
def test_scores_that_are_none_are_refused(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        own_data.read_own_scores(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("q.csv", "question1,question2,is_duplicate\na,b,yes\n", "is_duplicate must be a number"),
        ("q.csv", "question1,question2,is_duplicate\na,b,1\n", r"expected both 0 and 1"),
        ("q.csv", "question1,question2,is_duplicate\na,  ,1\n", "row 1: question2 is empty"),
        ("q.csv", "question1,question2\na,b\n", "missing: is_duplicate"),
        (
            "q.csv",
            "question1,question2,is_duplicate\na,b,c,1\n",
            "more columns than the first line",
        ),
        ("q.tsv", "question1\tquestion2\tis_duplicate\na\tb\tyes\n", "is_duplicate is 'yes'"),
    ],
)
def test_questions_that_are_none_are_refused(name, text, message, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        own_data.read_question_pairs(tmp_path / name)


def test_rows_that_cannot_be_read_are_reported(tmp_path, capsys):
    lines = ["question1\tquestion2\tis_duplicate", "a\tb\t1", "c\td\t0", "e\tf\tmaybe"]
    (tmp_path / "q.tsv").write_text("\n".join(lines))
    assert len(own_data.read_question_pairs(tmp_path / "q.tsv")) == 2
    assert "1 malformed and left out: line 4" in capsys.readouterr().out


def test_pairs_without_different_scores_are_refused_before_training():
    names = [f"sentence {n}" for n in range(60)]
    pairs = own_data.ScoredPairs(names[::2], names[1::2], np.full(30, 4.0))
    with pytest.raises(DataError, match="no split of 30 pairs has different scores"):
        own_data.split_scored_pairs(pairs, "equal")
    few = own_data.ScoredPairs(names[:4], names[4:8], np.arange(4.0))
    with pytest.raises(DataError, match="no split of 4 pairs"):
        own_data.split_scored_pairs(few, "few")


def test_the_same_pair_many_times_is_in_one_split():
    names = [f"sentence {n % 20}" for n in range(200)]
    pairs = own_data.ScoredPairs(names, [f"{name}, again" for name in names], np.arange(200) % 6)
    data = own_data.split_scored_pairs(pairs, "repeated")
    texts = [set(rows.sentence1) for rows in (data.train, data.validation, data.test)]
    assert sum(map(len, texts)) == 20


def test_no_text_is_in_two_splits():
    names = [f"sentence {n}" for n in range(60)]
    pairs = own_data.ScoredPairs(names[:-1], names[1:], np.linspace(0, 5, 59))
    with pytest.raises(DataError, match="cannot be split"):
        own_data.split_scored_pairs(pairs, "linked")
    pairs = own_data.ScoredPairs(names[::2], names[1::2], np.linspace(0, 5, 30))
    data = own_data.split_scored_pairs(pairs, "pairs")
    texts = [
        {*rows.sentence1, *rows.sentence2} for rows in (data.train, data.validation, data.test)
    ]
    assert sum(map(len, texts)) == len(set.union(*texts)) == 60
    triplets = own_data.Triplets(names[:20], names[20:40], names[40:])
    data = own_data.split_triplets(triplets, "triplets")
    assert len(data.train) + len(data.validation) + len(data.test) == 20

"""Scored pairs and triplets: every layout, broken row, and place to load from."""

import csv
import functools
import gzip
import http.server
import importlib.util
import io
import itertools
import json
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import fetch, sentences
from siamese_course.datasets.registry import dataset
from siamese_course.runtime.errors import DataError, NetworkError

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sentences"
TOOL = FOLDER.parents[1] / "tools" / "check_sentences.py"
GLUE_HEADER = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore"
)
TRIPLET_HEADER = "Sentence1,Sentence2,Sentence3,article_id,article"


def load_script():
    spec = importlib.util.spec_from_file_location("check_sentences", TOOL)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


script = load_script()


def content_of(*lines, end="\n"):
    return "".join(line + end for line in lines).encode()


@pytest.fixture
def write(tmp_path):
    """Lines -> a file of them."""

    def write_lines(*lines, name="pairs.tsv", end="\n"):
        path = tmp_path / name
        content = content_of(*lines, end=end)
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
        return path

    return write_lines


def sts(score="3.5", sentence1="A dog runs.", sentence2="A cat sits.", more=""):
    return f"main-captions\tMSRvid\t2012test\t0001\t{score}\t{sentence1}\t{sentence2}{more}"


def glue(score="3.5", sentence1="A dog runs.", sentence2="A cat sits."):
    return f"0\tmain\tMSRvid\t2012\t0001\tnone\tnone\t{sentence1}\t{sentence2}\t{score}"


def as_rows(pairs):
    return list(zip(pairs.sentence1, pairs.sentence2, pairs.score.tolist(), strict=True))


def triplet_rows(triplets):
    return list(zip(triplets.anchor, triplets.positive, triplets.negative, strict=True))


# --- scored pairs that can be read ---

READERS = [sentences.read_sts, sentences.read_scored_pairs]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("name", ["sts-train.csv", "sts-train.csv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_benchmarks_own_layout(write, read, name, end):
    lines = [sts("5.000"), sts("0", "One.", "Two.", "\thttp://a\thttp://b"), "", sts("2.75")]
    pairs = read(write(*lines, name=name, end=end))
    assert as_rows(pairs) == [
        ("A dog runs.", "A cat sits.", 5.0),
        ("One.", "Two.", 0.0),
        ("A dog runs.", "A cat sits.", 2.75),
    ]
    assert (len(pairs), pairs.score.dtype, pairs.score.shape) == (3, "float32", (3,))


@pytest.mark.parametrize("read", READERS)
def test_glues_layout(write, read):
    pairs = read(write(GLUE_HEADER, glue("1.25"), glue("4", "One.", "Two.")))
    assert as_rows(pairs) == [("A dog runs.", "A cat sits.", 1.25), ("One.", "Two.", 4.0)]


@pytest.mark.parametrize("row", [sts, glue])
@pytest.mark.parametrize(
    "sentence",
    [
        '"They came," he said.',
        'An open " quote',
        '"',
        '""""',
        "one\u2028two\u2029three\x85four\x0bfive\x0csix\x1cseven",
        "a\rb",
        "a  b\u00a0c",
        "Forex &amp; Gold, 3 March",
        "मैं कौन हूँ? 🤷‍♀️",
        "x" * 200_000,
    ],
    ids=lambda value: ascii(value)[:20] if isinstance(value, str) else value.__name__,
)
def test_a_sentence_is_read_as_it_stands(write, row, sentence):
    lines = [row("1", sentence, "other"), row("2", "other", sentence), row("3")]
    header = [GLUE_HEADER] if row is glue else []
    expected = [
        (sentence, "other", 1.0),
        ("other", sentence, 2.0),
        ("A dog runs.", "A cat sits.", 3.0),
    ]
    path = write(*header, *lines)
    assert as_rows(sentences.read_sts(path)) == expected
    assert as_rows(sentences.read_scored_pairs(path)) == expected


@pytest.mark.parametrize("read", READERS)
def test_white_space_around_a_sentence_goes(write, read):
    pairs = read(write(sts(" 3.0 ", " One.  ", "\u00a0Two. ")))
    assert as_rows(pairs) == [("One.", "Two.", 3.0)]


@pytest.mark.parametrize(
    ("lines", "first"),
    [
        ([sts("1", "é", "b")], ("é", "b", 1.0)),
        ([GLUE_HEADER.removeprefix("index\t"), glue("2").removeprefix("0\t")], None),
        (["score,sentence1,sentence2", "2.5,a,b"], ("a", "b", 2.5)),
    ],
)
def test_a_byte_order_mark_is_no_part_of_the_first_cell(tmp_path, lines, first):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"\xef\xbb\xbf" + content_of(*lines))
    assert as_rows(sentences.read_scored_pairs(path))[0] == (
        first or ("A dog runs.", "A cat sits.", 2.0)
    )


def test_the_last_line_needs_no_end(tmp_path):
    path = tmp_path / "sts-dev.csv"
    path.write_bytes(content_of(sts("1"), sts("2")).rstrip(b"\n"))
    assert sentences.read_sts(path).score.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["sentence1", "sentence2", "score", "note"]))
)
@pytest.mark.parametrize("separator", ["\t", ","])
def test_columns_in_any_order(write, separator, order):
    cells = {"sentence1": "One.", "sentence2": "Two.", "score": "4.5", "note": "0.1"}
    names = [name.capitalize() if name == "score" else name for name in order]
    path = write(separator.join(names), separator.join(cells[name] for name in order))
    assert as_rows(sentences.read_scored_pairs(path)) == [("One.", "Two.", 4.5)]


def test_csv_is_read_with_its_quotes(tmp_path):
    rng = random.Random(0)
    pieces = ['"', '""', "\n", "'", ",", "a", "bc", " ", "é", "\u2028", "\t", "0"]
    texts = ["Q" + "".join(rng.choices(pieces, k=rng.randrange(15))) + "." for _ in range(400)]
    rows = list(zip(texts[::2], texts[1::2], strict=True))
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerow(["sentence1", "sentence2", "score"])
    writer.writerows((*row, n % 6) for n, row in enumerate(rows))
    path = tmp_path / "pairs.csv"
    path.write_bytes(stream.getvalue().encode())
    assert as_rows(sentences.read_scored_pairs(path)) == [
        (*row, float(n % 6)) for n, row in enumerate(rows)
    ]


def test_with_tabs_a_quote_is_a_character(write):
    path = write("score\tsentence1\tsentence2", '3\t"One\tTwo"', '4\t"a, b"\tc')
    assert as_rows(sentences.read_scored_pairs(path)) == [
        ('"One', 'Two"', 3.0),
        ('"a, b"', "c", 4.0),
    ]


def test_taking_rows_and_masks():
    pairs = sentences.ScoredPairs(list("abc"), list("xyz"), np.array([1, 2, 3], "float32"))
    assert as_rows(pairs.take([2, 0])) == [("c", "z", 3.0), ("a", "x", 1.0)]
    assert as_rows(pairs.take(pairs.score > 1.5)) == [("b", "y", 2.0), ("c", "z", 3.0)]
    assert (len(pairs.take([])), pairs.take([]).score.dtype) == (0, "float32")
    triplets = sentences.Triplets(list("abc"), list("lmn"), list("xyz"))
    assert triplet_rows(triplets.take(range(1, 3))) == [("b", "m", "y"), ("c", "n", "z")]
    assert triplet_rows(triplets.take(np.array([True, False, False]))) == [("a", "l", "x")]
    assert len(triplets) == 3


# --- rows and files that cannot ---


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("row", [sts, glue])
@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("high",), r"the score is 'high'; expected a number from 0 to 5"),
        (("-0.001",), r"the score is '-0\.001'; expected"),
        (("5.001",), r"the score is '5\.001'; expected"),
        (("nan",), r"the score is 'nan'; expected"),
        (("inf",), r"the score is 'inf'; expected"),
        (("",), "score is empty"),
        (("1", ""), "sentence1 is empty"),
        (("1", "a", " \u00a0 "), "sentence2 is empty"),
    ],
)
def test_a_malformed_row_is_named(write, read, row, arguments, what):
    header = [GLUE_HEADER] if row is glue else []
    path = write(*header, row(), "", row(*arguments), row())
    number = 3 + len(header)
    with pytest.raises(DataError, match=rf"pairs\.tsv, line {number}: {what}"):
        read(path)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([sts(), "a\tb\t1\t2\t3.0\tonly one sentence"], "line 2: 6 columns instead of 7"),
        ([sts(), "stray text"], "line 2: 1 columns instead of 7"),
        ([GLUE_HEADER, glue().removesuffix("\t3.5")], "line 2: 9 columns instead of 10"),
        ([GLUE_HEADER, glue(sentence1="a\tb")], "line 2: 11 columns instead of 10"),
        ([GLUE_HEADER, "", "   "], "line 3: 1 columns instead of 10"),
    ],
)
def test_too_few_or_too_many_columns(write, lines, what):
    with pytest.raises(DataError, match=rf"pairs\.tsv, {what}"):
        sentences.read_sts(write(*lines))


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["2,a"], r"line 3: 2 columns instead of 3\."),
        (["2,a,b,c"], r"line 3: 4 columns instead of 3\."),
        (["6,a,b"], r"line 3: the score is '6'; expected"),
        (["2,,b"], r"line 3: sentence1 is empty"),
        (['2,"a\nb",c', "x,a,b"], r"line 5: the score is 'x'"),
        (['2,"never closed,b', "1,a,b", "1,a,b"], r"line 3: the row that begins here is no csv"),
        (['2,"a" b,c'], r"line 3: the row that begins here is no csv"),
        (['2,"' + "x" * 10_000_000], r"line 3: the row that begins here is no csv"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_malformed_csv_row_is_named_by_its_first_line(write, lines, what):
    path = write("score,sentence1,sentence2", "1,a,b", *lines, name="pairs.csv")
    with pytest.raises(DataError, match=rf"pairs\.csv, {what}"):
        sentences.read_scored_pairs(path)


@pytest.mark.parametrize("read", READERS)
def test_glues_test_file_has_no_scores(write, read):
    path = write(GLUE_HEADER.removesuffix("\tscore"), glue().rpartition("\t")[0], name="test.tsv")
    with pytest.raises(DataError, match=r"test\.tsv has no column 'score'.*use train\.tsv or dev"):
        read(path)


@pytest.mark.parametrize(
    "first", ["", "<html>Log in</html>", "sentence1\tscore", "a\tb\tc", "sentence1;sentence2;score"]
)
def test_another_first_line_is_refused(write, first):
    path = write(first, "a\tb\tc")
    for read in READERS:
        with pytest.raises(DataError, match=r"pairs\.tsv begins with .*; expected a header with"):
            read(path)


def test_read_sts_takes_no_csv(write):
    with pytest.raises(DataError, match=r"begins with .*; expected .* separated by tabs\.$"):
        sentences.read_sts(write("score,sentence1,sentence2", "1,a,b"))


@pytest.mark.parametrize("lines", [[GLUE_HEADER], ["score,sentence1,sentence2", ""]])
def test_a_file_without_a_pair_is_refused(write, lines):
    with pytest.raises(DataError, match=r"pairs\.tsv holds no sentence pair"):
        sentences.read_scored_pairs(write(*lines))


def test_another_encoding_is_named_with_its_line(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content_of(sts()) + sts("1", "é", "b").encode("latin-1"))
    with pytest.raises(DataError, match=r"pairs\.tsv, line 2: .*, not UTF-8\. Save it as UTF-8\."):
        sentences.read_sts(path)
    path.write_bytes(sts().encode("utf-16"))
    with pytest.raises(DataError, match=r"line 1: .*, not UTF-8"):
        sentences.read_scored_pairs(path)


def test_what_cannot_be_opened_or_unpacked_is_named(tmp_path, write):
    whole = write(*(sts(n % 5, f"{n * 7919}?") for n in range(3000)), name="sts.csv.gz")
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(whole.read_bytes()[:-2000])
    plain = tmp_path / "plain.csv.gz"
    plain.write_bytes(content_of(sts()))
    for path in (broken, plain, tmp_path / "missing.tsv", tmp_path):
        for read in (*READERS, sentences.read_triplets):
            with pytest.raises(DataError, match=f"{path.name} (cannot be read|begins with)"):
                read(path)


# --- triplets ---


@pytest.mark.parametrize("name", ["train.csv", "train.csv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_triplets_of_csv(write, name, end):
    lines = [
        TRIPLET_HEADER,
        '"He said ""no"", and left.",b,"c, d",12,Title',
        '"one\u2028two",  b ,c,13,"A, B"',
    ]
    triplets = sentences.read_triplets(write(*lines, name=name, end=end))
    assert triplet_rows(triplets) == [
        ('He said "no", and left.', "b", "c, d"),
        ("one\u2028two", "b", "c"),
    ]


def test_triplets_by_the_names_of_their_columns(write):
    path = write("article,Sentence3,Sentence1,Sentence2", "x,far,anchor,near", name="t.csv")
    assert triplet_rows(sentences.read_triplets(path)) == [("anchor", "near", "far")]
    path = write("negative\tanchor\tpositive", 'far\t"anchor\tnear, "', name="t.tsv")
    assert triplet_rows(sentences.read_triplets(path)) == [('"anchor', 'near, "', "far")]


def test_at_most_so_many_triplets(write):
    rows = [f"a{n},b{n},c{n},{n},t" for n in range(5)]
    path = write(TRIPLET_HEADER, *rows, "a broken row")
    assert len(sentences.read_triplets(path, 3)) == 3
    assert sentences.read_triplets(path, 5).anchor == ["a0", "a1", "a2", "a3", "a4"]
    for most in (6, None):
        with pytest.raises(DataError, match=r"line 7: 1 columns instead of 5"):
            sentences.read_triplets(path, most)


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        ([TRIPLET_HEADER, "a,b,c"], r", line 2: 3 columns instead of 5"),
        ([TRIPLET_HEADER, "a,b,,1,t"], r", line 2: sentence3 is empty"),
        (["anchor\tpositive\tnegative", "a\t \tc"], r", line 2: positive is empty"),
        ([TRIPLET_HEADER], r" holds no triplet"),
        (
            ["anchor,positive"],
            r" begins with 'anchor positive'; expected a header with sentence1, ",
        ),
        ([""], r" begins with ''; expected a header"),
    ],
)
def test_triplets_that_cannot_be_read(write, lines, what):
    with pytest.raises(DataError, match=rf"t\.csv{what}"):
        sentences.read_triplets(write(*lines, name="t.csv"))


# --- the course's own ---


COLLECTION, QUERIES = "search_collection.tsv", "search_queries.tsv"


def own_lines(name):
    header, *lines = (FOLDER / name).read_text("utf-8").removesuffix("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


def test_own_pairs_are_read_as_they_stand_in_the_file():
    parts = sentences.own_scored_pairs()
    for part, pairs in zip(sentences.PARTS, parts, strict=True):
        lines = [line for line in own_lines("pairs.tsv") if line["split"] == part]
        assert len(pairs) == len(lines) > 0
        assert pairs.sentence1 == [line["sentence1"] for line in lines]
        assert pairs.sentence2 == [line["sentence2"] for line in lines]
        assert pairs.score.tolist() == pytest.approx([float(line["score"]) for line in lines])
        assert pairs.score.dtype == "float32"


def test_own_parts_share_no_family_no_sentence_and_no_article():
    for name, column in (("pairs.tsv", "family"), ("sections.tsv", "article")):
        places = {(line[column], line["split"]) for line in own_lines(name)}
        assert len(places) == len({value for value, _ in places})
    used = [{*pairs.sentence1, *pairs.sentence2} for pairs in sentences.own_scored_pairs()]
    used_in_triplets = [
        {*triplets.anchor, *triplets.positive, *triplets.negative}
        for triplets in sentences.own_triplets()
    ]
    for parts in (used, used_in_triplets):
        for one, other in itertools.combinations(parts, 2):
            assert not one & other


def test_own_triplets_are_every_pair_of_a_section_with_a_sentence_of_another():
    place = {
        line["sentence"]: (line["split"], line["article"], line["section"])
        for line in own_lines("sections.tsv")
    }
    members = defaultdict(set)
    for sentence, where in place.items():
        members[where].add(sentence)
    expected = {
        frozenset((left, right))
        for texts in members.values()
        for left in texts
        for right in texts
        if left != right
    }
    found, first, kept = [], Counter(), 0
    lines = {line["sentence"]: number for number, line in enumerate(own_lines("sections.tsv"))}
    for part, triplets in zip(sentences.PARTS, sentences.own_triplets(), strict=True):
        for anchor, positive, negative in triplet_rows(triplets):
            assert place[anchor] == place[positive]
            assert place[anchor][:2] == place[negative][:2]
            assert place[anchor][2] != place[negative][2]
            assert place[anchor][0] == part
            found.append(frozenset((anchor, positive)))
            first[negative] += 1
            kept += lines[anchor] < lines[positive]
    assert len(found) == len(set(found)) == 10 * len(members)
    assert set(found) == expected
    assert kept / len(found) == pytest.approx(
        0.5, abs=0.05
    )  # which of a pair is the anchor is drawn
    assert len(first) > 0.8 * len(place)  # about 1 - exp(-2) of the sentences are a negative


def test_own_triplets_follow_the_seed():
    one, again, other = (sentences.own_triplets(seed) for seed in (0, 0, 1))
    assert one == again
    for left, right in zip(one, other, strict=True):
        assert left.negative != right.negative
        assert left.anchor != right.anchor


def test_own_files_of_another_folder(write, tmp_path):
    write(
        "family\tsplit\tscore\tsentence1\tsentence2",
        'f\ttest\t1.5\t"a\tb',
        "g\ttrain\t2.5\tc\td",
        "h\tvalidation\t0.0\te\tf",
    )
    parts = sentences.own_scored_pairs(tmp_path)
    assert list(map(as_rows, parts)) == [
        [("c", "d", 2.5)],
        [("e", "f", 0.0)],
        [('"a', "b", 1.5)],
    ]
    write("split\tarticle\tsection\tsentence", *(f"train\tA\t{s}\t{s}" for s in "xyz"), name="s")
    (tmp_path / "s").rename(tmp_path / "sections.tsv")
    assert list(map(len, sentences.own_triplets(folder=tmp_path))) == [0, 0, 0]
    write("split\tscore\tsentence1\tsentence2", "dev\t1\ta\tb")
    with pytest.raises(DataError, match=r"pairs\.tsv, line 2: the part is 'dev', not one of"):
        sentences.own_scored_pairs(tmp_path)


# --- loading ---


def sts_folder(folder, test=True, names=("sts-train.csv", "sts-dev.csv", "sts-test.csv")):
    """The benchmark's files with 3, 2 and 1 pairs."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in zip((3, 2, 1) if test else (3, 2), names, strict=False):
        (folder / name).write_bytes(content_of(*(sts(n, f"{name} {n}") for n in range(count))))
    return folder


def glue_folder(folder):
    """GLUE's files with 4, 3 and 2 pairs, the last without scores."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in ((4, "train.tsv"), (3, "dev.tsv"), (2, "test.tsv")):
        lines = [GLUE_HEADER, *(glue(n, f"{name} {n}") for n in range(count))]
        if name == "test.tsv":
            lines = [line.rpartition("\t")[0] for line in lines]
        (folder / name).write_bytes(content_of(*lines))
    return folder


def triplet_folder(folder, names=sentences.TRIPLET_FILES):
    """The triplets' files with 5, 4 and 3 rows."""
    folder.mkdir(parents=True, exist_ok=True)
    for count, name in zip((5, 4, 3), names, strict=False):
        rows = (f"a{n},b{n},c{n},{n},{name}" for n in range(count))
        (folder / name).write_bytes(content_of(TRIPLET_HEADER, *rows))
    return folder


def tarred(folder, path, inside):
    path.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(path, "w:gz") as tar:
        tar.add(folder, inside)
    return path


def zipped(folder, path, inside):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as content:
        for file in folder.iterdir():
            content.write(file, f"{inside}/{file.name}")
    return path


def sizes(data):
    return [
        None if part is None else len(part) for part in (data.train, data.validation, data.test)
    ]


@pytest.fixture
def no_network(monkeypatch):
    """Every download fails, and is counted."""
    asked = []

    def fail(data, file, target):
        asked.append(data.name)
        raise NetworkError(
            f"{file.name} could not be downloaded (no cable). {fetch.OFFLINE_REMEDY}"
        )

    monkeypatch.setattr(fetch, "_download", fail)
    return asked


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A folder that is served, and takes the place of the published addresses."""
    root = tmp_path / "served"
    root.mkdir()

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    handler = functools.partial(Quiet, directory=root)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{served.server_port}"

        def redirected(name):
            (file,) = dataset(name).files
            path = root / file.name
            size = path.stat().st_size if path.exists() else 1
            file = replace(file, urls=(f"{address}/{file.name}",), size=size, sha256=None)
            return replace(dataset(name), files=(file,))

        for module in (fetch, sentences):
            monkeypatch.setattr(module, "dataset", redirected)
        yield root
        served.shutdown()


@pytest.mark.parametrize("test", [True, False])
def test_pairs_from_a_data_directory(tmp_path, monkeypatch, capsys, no_network, test):
    folder = sts_folder(tmp_path / "stsb", test)
    packed = folder / "sts-dev.csv.gz"
    packed.write_bytes(gzip.compress((folder / "sts-dev.csv").read_bytes()))
    (folder / "sts-dev.csv").unlink()
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    data = sentences.load_scored_pairs()
    assert sizes(data) == [3, 2, 1 if test else None]
    assert data.train.sentence1[0] == "sts-train.csv 0"
    counts = "3 train, 2 validation, 1 test" if test else "3 train, 2 validation"
    line = f"Scored pairs: {counts} (the STS benchmark, SIAMESE_COURSE_DATA)\n"
    assert capsys.readouterr().out == line == f"{data}\n"
    assert no_network == []


def test_triplets_from_a_data_directory(tmp_path, monkeypatch, capsys):
    triplet_folder(tmp_path / "wikisections", ("train.csv", "validation.csv"))
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    data = sentences.load_triplets()
    assert sizes(data) == [5, 4, None]
    line = "Triplets: 5 train, 4 validation (Wikipedia sections, SIAMESE_COURSE_DATA)\n"
    assert capsys.readouterr().out == line
    data = sentences.load_triplets(most=2, verbose=False)
    assert sizes(data) == [2, 4, None]
    assert data.source == "Wikipedia sections, SIAMESE_COURSE_DATA, the first 2 training rows"
    assert capsys.readouterr().out == ""
    triplet_folder(tmp_path / "wikisections")
    assert sizes(sentences.load_triplets(most=None)) == [5, 4, 3]


@pytest.mark.parametrize("most", [0, -1])
def test_no_rows_at_most_is_refused(most):
    with pytest.raises(ValueError, match=f"most is {most}; expected 1"):
        sentences.load_triplets(most=most)


def test_a_damaged_file_is_not_replaced_by_the_courses_own(tmp_path, monkeypatch):
    (sts_folder(tmp_path / "stsb") / "sts-dev.csv").write_text("<html>Log in</html>")
    (triplet_folder(tmp_path / "wikisections") / "train.csv").write_text("<html>Log in</html>")
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    for load in (sentences.load_scored_pairs, sentences.load_triplets):
        with pytest.raises(DataError, match="begins with '<html>Log in</html>'"):
            load()


def test_a_cached_archive_is_unpacked_once(tmp_path, own_cache, no_data_directory, no_network):
    source = sts_folder(tmp_path / "stsbenchmark")
    tarred(source, own_cache / "stsb" / "Stsbenchmark.tar.gz", "stsbenchmark")
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data) == [3, 2, 1]
    assert data.source == "the STS benchmark, cache"
    (unpacked,) = (own_cache / "stsb").glob("*-unpacked")
    (unpacked / "stsbenchmark" / "sts-train.csv").write_bytes(content_of(sts()))
    assert len(sentences.load_scored_pairs(verbose=False).train) == 1
    assert no_network == []


@pytest.mark.parametrize("inside", ["", "wikipedia-sections-triplets"])
def test_cached_triplets(tmp_path, own_cache, no_data_directory, no_network, capsys, inside):
    archive = own_cache / "wikisections" / "wikipedia-sections-triplets.zip"
    zipped(triplet_folder(tmp_path / "t"), archive, inside)
    data = sentences.load_triplets(most=3)
    assert sizes(data) == [3, 4, 3]
    line = "Triplets: 3 train, 4 validation, 3 test"
    assert capsys.readouterr().out == (
        f"{line} (Wikipedia sections, cache, the first 3 training rows)\n"
    )
    assert no_network == []


def test_a_cached_archive_that_was_changed_is_refused(tmp_path, own_cache, no_data_directory):
    archive = own_cache / "wikisections" / "wikipedia-sections-triplets.zip"
    zipped(triplet_folder(tmp_path / "t"), archive, "")
    archive.with_name(f"{archive.name}.sha256").write_text("0" * 64)
    with pytest.raises(DataError, match=r"is not the file that was published.*fetch wikisections"):
        sentences.load_triplets()
    assert archive.exists()


def test_glue_in_the_cache_comes_before_a_download(own_cache, no_data_directory, no_network):
    glue_folder(own_cache / "glue-stsb" / "STS-B.zip-unpacked" / "STS-B")
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data) == [4, 3, None]
    assert data.source == "the STS benchmark in GLUE's layout, cache"
    assert no_network == []


def test_the_benchmark_is_downloaded(tmp_path, server, no_data_directory):
    source = sts_folder(tmp_path / "stsbenchmark")
    tarred(source, server / "Stsbenchmark.tar.gz", "stsbenchmark")
    origins = [sentences.load_scored_pairs(verbose=False).source for _ in range(2)]
    assert origins == ["the STS benchmark, download", "the STS benchmark, cache"]


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (None, "Stsbenchmark.tar.gz of stsb could not be downloaded"),
        (b"<html>Log in</html>", "Stsbenchmark.tar.gz of stsb did not arrive whole"),
    ],
)
def test_glue_is_the_second_source(tmp_path, server, no_data_directory, capsys, first, reason):
    if first:
        (server / "Stsbenchmark.tar.gz").write_bytes(first)
    zipped(glue_folder(tmp_path / "STS-B"), server / "STS-B.zip", "STS-B")
    data = sentences.load_scored_pairs()
    assert sizes(data) == [4, 3, None]
    assert data.source == "the STS benchmark in GLUE's layout, download"
    printed = capsys.readouterr().out
    assert reason in printed
    assert printed.endswith(f"\n{data}\n")


def test_a_download_that_is_damaged_is_not_replaced_by_the_courses_own(server, no_data_directory):
    (server / "Stsbenchmark.tar.gz").write_bytes(b"<html>Log in</html>")
    with pytest.raises(DataError, match=r"of stsb did not arrive whole.*web page") as caught:
        sentences.load_scored_pairs()
    assert not isinstance(caught.value, NetworkError)


def test_an_archive_of_something_else_is_named(tmp_path, server, no_data_directory):
    source = glue_folder(tmp_path / "other")
    tarred(source, server / "Stsbenchmark.tar.gz", "other")
    with pytest.raises(DataError, match=r"stsb does not hold sts-train\.csv and sts-dev\.csv"):
        sentences.load_scored_pairs()


def test_without_a_network_the_reason_is_said(no_data_directory, no_network, capsys):
    data = sentences.load_scored_pairs()
    assert data.source == "the course's own sentence pairs"
    told, line = capsys.readouterr().out.splitlines()
    assert told.startswith("The STS benchmark is not at hand: Stsbenchmark.tar.gz could not be")
    assert "STS-B.zip could not be downloaded" in told
    assert told.count("Check the network") == 1
    assert line == str(data)
    assert no_network == ["stsb", "glue-stsb"]
    sentences.load_scored_pairs(verbose=False)
    assert capsys.readouterr().out == ""


def test_triplets_are_never_downloaded_by_surprise(no_data_directory, no_network, capsys):
    data = sentences.load_triplets()
    assert data.source == "triplets of the course's own sections"
    told, line = capsys.readouterr().out.splitlines()
    assert "wikipedia-sections-triplets.zip is neither in SIAMESE_COURSE_DATA nor in" in told
    assert told.endswith("(500 MB): siamese-course data fetch wikisections")
    assert line == str(data)
    assert no_network == []


def test_shipped_sentences_are_the_courses_own(shipped, no_network, own_cache, capsys):
    sts_folder(own_cache / "stsb" / "Stsbenchmark-unpacked")  # not looked at
    triplet_folder(own_cache / "wikisections" / "w-unpacked")
    pairs, triplets = sentences.load_scored_pairs(), sentences.load_triplets()
    assert capsys.readouterr().out == f"{pairs}\n{triplets}\n"  # asked for: no word of a fall-back
    assert sizes(pairs) == list(map(len, sentences.own_scored_pairs()))
    assert sizes(triplets) == list(map(len, sentences.own_triplets()))
    assert triplets.train == sentences.own_triplets()[0]
    assert no_network == []


def test_the_registry_counts_what_ships():
    articles = {line["article"] for line in own_lines("sections.tsv")}
    assert f"{len(articles)} articles of three sections" in dataset("wikisections").shipped


# --- real files ---


@pytest.mark.real_data
def test_real_pairs_are_all_read(real_data):
    data = sentences.load_scored_pairs(verbose=False)
    assert sizes(data)[:2] == [5749, 1500]
    for name, pairs in (("sts-train.csv", data.train), ("sts-dev.csv", data.validation)):
        expected = []
        for line in (real_data / "stsb" / name).read_bytes().decode().split("\n"):
            if line:
                cells = line.split("\t")
                expected.append((cells[5].strip(), cells[6].strip(), np.float32(cells[4])))
        assert as_rows(pairs) == expected
        assert as_rows(sentences.read_scored_pairs(real_data / "stsb" / name)) == expected
        assert (pairs.score.min(), pairs.score.max()) == (0, 5)


@pytest.mark.real_data
def test_real_triplets_are_all_read(real_data):
    data = sentences.load_triplets(verbose=False)
    assert sizes(data)[:2] == [61_242, 3_353]
    assert "first" not in data.source
    content = gzip.decompress((real_data / "wikisections" / "validation.csv.gz").read_bytes())
    expected = [csv_cells(line)[:3] for line in content.decode().split("\r\n")[1:] if line]
    assert list(map(list, triplet_rows(data.validation))) == expected


def csv_cells(line):
    """The stripped cells of one line of csv, character by character."""
    cells, quoted = [""], False
    for character in line.replace('""', "\0"):
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            cells.append("")
        else:
            cells[-1] += '"' if character == "\0" else character
    return [cell.strip() for cell in cells]


# --- the search benchmark ---


def test_the_search_is_read_as_it_stands_in_the_files():
    data = sentences.read_search()
    items, queries = own_lines(COLLECTION), own_lines(QUERIES)
    assert data.collection == [item["sentence"] for item in items]
    assert data.topics == [item["topic"] for item in items]
    assert data.queries == [line["query"] for line in queries]
    for column in ("answers", "distractors"):
        ids = [[items[row]["id"] for row in rows] for rows in getattr(data, column)]
        assert ids == [line[column].split() for line in queries]
    assert "Somebody is preparing a meal." in data.queries
    assert str(data) == f"Search: {len(queries)} queries, {len(items):,} sentences"


@pytest.fixture
def write_search(write, tmp_path):
    def write_both(*queries, items=("s1\tPets\tA cat naps.", "s2\tPets\tA dog barks.")):
        write("id\ttopic\tsentence", *items, name=COLLECTION)
        write("query\tanswers\tdistractors", *queries, name=QUERIES)
        return tmp_path

    return write_both


def test_a_search_of_ones_own(write_search):
    folder = write_search("A kitten sleeps.\ts1\ts2", "It is loud.\ts2 s1\t")
    assert sentences.read_search(folder) == sentences.SearchData(
        collection=["A cat naps.", "A dog barks."],
        topics=["Pets", "Pets"],
        queries=["A kitten sleeps.", "It is loud."],
        answers=[[0], [1, 0]],
        distractors=[[1], []],
    )


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("A kitten sleeps.\ts3\t", "line 2: no sentence has the id 's3'"),
        ("A kitten sleeps.\ts1\ts2 s4", "line 2: no sentence has the id 's4'"),
        ("A kitten sleeps.\t\ts2", "line 2: answers is empty"),
        ("A kitten sleeps.\ts1", "line 2: 2 columns instead of 3"),
    ],
)
def test_a_query_that_is_none(write_search, query, told):
    with pytest.raises(DataError, match=told):
        sentences.read_search(write_search(query))


def test_an_id_that_two_sentences_have(write_search):
    folder = write_search(items=["s1\tPets\tA cat naps.", "s1\tPets\tA dog barks."])
    with pytest.raises(DataError, match="line 3: the id 's1' has been there before"):
        sentences.read_search(folder)


# --- the script, on the set ---


@pytest.fixture(scope="module")
def checked():
    return script.check()


def test_the_set_has_no_fault(checked):
    faults, statistics = checked
    assert faults == []
    assert json.loads(json.dumps(statistics)) == statistics


def words(text):
    return "".join(c if c.isalnum() else " " for c in text.lower()).split()


def overlap(left, right):
    one, other = set(words(left)), set(words(right))
    return sum(word in other for word in one) / len(one | other)


def ranks(values):
    """Mean ranks, by counting."""
    return [sum(v < w for v in values) + sum(v == w for v in values) / 2 for w in values]


def test_figures_by_hand(checked):
    statistics = checked[1]["pairs"]
    lines = own_lines("pairs.tsv")
    assert statistics["pairs"] == len(lines)
    assert statistics["families"] == len({line["family"] for line in lines})
    assert statistics["topics"] == len({line["topic"] for line in lines})
    for part in sentences.PARTS:
        rows = [line for line in lines if line["split"] == part]
        found = statistics["parts"][part]
        assert found["pairs"] == len(rows)
        assert found["families"] == len({row["family"] for row in rows})
        scores = [float(row["score"]) for row in rows]
        for band, (low, high) in enumerate([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5.1)]):
            share = sum(low <= score < high for score in scores) / len(rows)
            assert found["bands"][band] == pytest.approx(share, abs=0.001)
        overlaps = [overlap(row["sentence1"], row["sentence2"]) for row in rows]
        correlation = np.corrcoef(ranks(scores), ranks(overlaps))[0, 1]
        assert found["spearman_of_overlap"] == pytest.approx(correlation, abs=0.001)
    lengths = [len(words(line[name])) for line in lines for name in ("sentence1", "sentence2")]
    assert statistics["words"] == {
        "mean": round(sum(lengths) / len(lengths), 1),
        "least": min(lengths),
        "most": max(lengths),
    }


def test_figures_of_sections_by_hand(checked):
    statistics = checked[1]["sections"]
    lines = own_lines("sections.tsv")
    assert statistics["sentences"] == len(lines)
    assert statistics["articles"] == len({line["article"] for line in lines})
    for part, triplets in zip(sentences.PARTS, sentences.own_triplets(), strict=True):
        found = statistics["parts"][part]
        assert found["sentences"] == sum(line["split"] == part for line in lines)
        assert found["triplets"] == len(triplets) == 30 * found["articles"]
        right = 0
        for anchor, positive, negative in triplet_rows(triplets):
            near, far = overlap(anchor, positive), overlap(anchor, negative)
            right += 1 if near > far else 0.5 if near == far else 0
        assert found["overlap_is_right"] == round(right / len(triplets), 3)


def test_figures_of_the_search_by_hand(checked):
    statistics = checked[1]["search"]
    text_of = {line["id"]: line["sentence"] for line in own_lines(COLLECTION)}
    lines = own_lines(QUERIES)
    assert statistics["sentences"] == len(text_of)
    assert statistics["topics"] == len({line["topic"] for line in own_lines(COLLECTION)})
    for name, rows in (
        ("with_distractors", [line for line in lines if line["distractors"]]),
        ("without", [line for line in lines if not line["distractors"]]),
        ("all", lines),
    ):
        found = statistics["queries"][name]
        assert found["queries"] == len(rows)
        for column in ("answers", "distractors"):
            assert found[column] == sum(len(row[column].split()) for row in rows)
        gains = []
        for row in rows:
            answers = row["answers"].split()
            best = max(overlap(row["query"], text_of[one]) for one in answers)
            others = [overlap(row["query"], text_of[one]) for one in text_of if one not in answers]
            gains.append(1 / (1 + sum(v > best for v in others) + others.count(best) / 2))
        assert found["overlap_mrr"] == round(sum(gains) / len(gains), 3)


def test_the_card_has_the_figures_of_the_search(checked):
    statistics = checked[1]["search"]
    card = (FOLDER / "README.md").read_text("utf-8")
    for figure in (
        f"{statistics['sentences']:,} sentences in {statistics['topics']} topics",
        f"One of these sentences has {statistics['words']['mean']} words on average",
        f"a query {statistics['words_of_queries']['mean']}",
        *(
            f"| {name.replace('_', ' ')} | {counts['queries']} | {counts['answers']} | "
            f"{counts['distractors']} | {counts['overlap_mrr']:.2f} |"
            for name, counts in statistics["queries"].items()
        ),
    ):
        assert figure in card


def test_the_script_prints_lines_and_one_json_object(checked):
    done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert json.loads(last) == {"faults": 0, **checked[1]}
    assert lines[-1] == "no fault"
    assert all(len(line) < 140 for line in lines)


# --- the script, on broken copies ---


class Copy:
    """A copy of the set, to be broken line by line."""

    def __init__(self, folder):
        self.folder = folder
        for name in script.COLUMNS:
            shutil.copy(FOLDER / name, folder / name)

    def cells(self, name="pairs.tsv"):
        lines = (self.folder / name).read_text("utf-8").removesuffix("\n").split("\n")
        return [line.split("\t") for line in lines]

    def write(self, rows, name="pairs.tsv"):
        text = "".join("\t".join(row) + "\n" for row in rows)
        (self.folder / name).write_text(text, "utf-8")

    def change(self, line, column, value, name="pairs.tsv"):
        rows = self.cells(name)
        rows[line - 1][column] = value
        self.write(rows, name)

    def append(self, row, name="pairs.tsv"):
        """Add a row; its line number."""
        rows = [*self.cells(name), list(row)]
        self.write(rows, name)
        return len(rows)

    def faults(self):
        return script.check(self.folder)[0]


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


def test_an_unchanged_copy_has_no_fault(copy, checked):
    assert script.check(copy.folder) == checked


@pytest.mark.parametrize("score", ["5", "4.85", "5.1", "-0.1", ".5", "4,5", "x", "04.5", "٣.٥"])
def test_a_score_without_one_decimal(copy, score):
    copy.change(7, 3, score)
    assert copy.faults() == [
        f"pairs.tsv line 7: the score is {score!r}; expected 0.0 to 5.0 with one decimal"
    ]


@pytest.mark.parametrize("same", [str, str.upper, lambda text: f"({text})"])
@pytest.mark.parametrize("order", [1, -1])
def test_a_repeated_pair(copy, same, order):
    *place, left, right = copy.cells()[9]
    number = copy.append([*place, *[same(left), same(right)][::order]])
    assert copy.faults() == [f"pairs.tsv line {number}: repeats line 10"]


def test_a_sentence_paired_with_itself(copy):
    *place, left, _ = copy.cells()[9]
    number = copy.append([*place, left, left.lower()])
    assert copy.faults() == [f"pairs.tsv line {number}: the two sentences are the same"]


def test_a_family_in_two_parts_and_a_sentence_in_two_parts(copy):
    part, topic, family, _, left, _ = copy.cells()[9]
    assert part == "train"
    number = copy.append(["test", topic, family, "2.0", "A new one.", "And one more."])
    assert copy.faults() == [
        f"pairs.tsv line {number}: the family {family!r} is in test, {topic!r}, "
        f"and before it was in train, {topic!r}"
    ]
    copy.change(number, 2, "a new family")
    copy.change(number, 4, left)
    assert copy.faults() == [
        f"pairs.tsv line {number}: {left!r} is in test, and before it was in train"
    ]


def test_too_few_pairs(copy):
    header, *rows = copy.cells()
    by_band = defaultdict(list)
    for row in rows:
        by_band[row[0], min(int(float(row[3])), 4)].append(row)
    copy.write([header, *itertools.chain(*(members[:10] for members in by_band.values()))])
    assert copy.faults() == ["pairs.tsv: 150 pairs; expected at least 400"]


def test_a_band_that_holds_too_many(copy):
    rows = copy.cells()
    for row in rows[1:]:
        if row[0] == "test":
            row[3] = "4.0" if row[3] < "2.0" else row[3]
    copy.write(rows)
    bands = [fault.split("have a score")[1] for fault in copy.faults()]
    assert bands == [
        " from 0 to 1; expected 15% to 25%",
        " from 1 to 2; expected 15% to 25%",
        " from 4 to 5; expected 15% to 25%",
    ]


SECTIONS = "sections.tsv"


def test_a_repeated_sentence_of_a_section(copy):
    text = copy.cells(SECTIONS)[9][3]
    copy.change(20, 3, text.upper(), SECTIONS)
    assert copy.faults() == [f"sections.tsv line 20: {text.upper()!r} repeats line 10"]


def test_an_article_in_two_parts(copy):
    part, article, *_ = copy.cells(SECTIONS)[2]
    copy.change(3, 0, "test", SECTIONS)
    faults = copy.faults()
    assert faults[0] == (
        f"sections.tsv line 3: the article {article!r} is in test, and before it was in {part}"
    )


def test_sections_of_another_size(copy):
    rows = copy.cells(SECTIONS)
    _, article, section, _ = rows[1]
    copy.write([rows[0], *rows[2:]], SECTIONS)
    (fault,) = copy.faults()
    assert fault.startswith(
        f"sections.tsv: the article {article!r} has the sentences 4 in {section!r}"
    )
    assert fault.endswith("expected 3 sections of 5")
    copy.write([rows[0], *(row for row in rows[1:] if row[1:3] != [article, section])], SECTIONS)
    (fault,) = copy.faults()
    assert "expected 3 sections of 5" in fault


def test_a_part_without_an_article(copy):
    rows = [row for row in copy.cells(SECTIONS) if row[0] != "validation"]
    copy.write(rows, SECTIONS)
    assert copy.faults() == ["sections.tsv: no article is in validation"]


def test_a_search_that_repeats_and_runs_on(copy):
    _, first, second, *_ = copy.cells(COLLECTION)
    copy.change(3, 0, first[0], COLLECTION)
    assert copy.faults()[0] == f"{COLLECTION} line 3: the id {first[0]!r} is that of line 2"
    copy.change(3, 0, second[0], COLLECTION)
    copy.change(3, 2, first[2].upper(), COLLECTION)
    assert copy.faults() == [f"{COLLECTION} line 3: {first[2].upper()!r} repeats line 2"]
    copy.change(3, 2, "Two words.", COLLECTION)
    assert copy.faults() == [f"{COLLECTION} line 3: 'Two words.' has 2 words; expected 5 to 22"]
    taken = copy.cells()[9][4]
    copy.change(3, 2, taken, COLLECTION)
    assert copy.faults() == [f"{COLLECTION} line 3: {taken!r} is in pairs.tsv, too"]
    assert "search" not in script.check(copy.folder)[1]


@pytest.mark.parametrize(
    ("answers", "distractors", "told"),
    [
        ("s0007 none", "", "no sentence of the collection has the id 'none'"),
        ("s0007", "s0008 s0007", "'s0007' is marked 2 times"),
        ("s0006 s0007 s0008 s0009", "", "4 answers; expected 1 to 3"),
    ],
)
def test_a_query_that_is_marked_wrong(copy, answers, distractors, told):
    number = copy.append(["Nobody has asked this.", answers, distractors], QUERIES)
    assert copy.faults() == [f"{QUERIES} line {number}: {told}"]


def test_a_query_that_the_collection_holds(copy):
    text = copy.cells(COLLECTION)[1][2]
    number = copy.append([text, "s0007", ""], QUERIES)
    assert copy.faults() == [f"{QUERIES} line {number}: {text!r} is in {COLLECTION}, too"]


def test_a_search_that_is_too_small(copy):
    header, *rows = copy.cells(QUERIES)
    copy.write([header, *(row for row in rows if not row[2])], QUERIES)
    header, *items = copy.cells(COLLECTION)
    for item in items:
        item[1] = "One topic"
    answers = {name for row in rows for name in row[1].split()}
    copy.write([header, *(item for item in items if item[0] in answers)], COLLECTION)
    plain = sum(not row[2] for row in rows)
    assert copy.faults() == [
        f"{COLLECTION}: {len(answers)} sentences; expected at least 1600",
        f"{COLLECTION}: 1 topics; expected at least 40",
        f"{QUERIES}: {plain} queries; expected at least 66",
        f"{QUERIES}: 0 of {plain} queries have 2 distractors or more; expected at least a third",
    ]


@pytest.mark.parametrize("name", [COLLECTION, QUERIES])
def test_lines_of_the_search_that_are_none(copy, name):
    columns = len(script.COLUMNS[name])
    rows = copy.cells(name)
    rows[0][1] = "subject"
    rows[2] = rows[2][:-1]
    rows[3][1] = ""
    rows[4][-1] = "a  b"
    copy.write(rows, name)
    assert copy.faults() == [
        f"{name} line 1: the columns are not {', '.join(script.COLUMNS[name])}",
        f"{name} line 3: {columns - 1} columns instead of {columns}",
        f"{name} line 4: an empty cell, or white space too much",
        f"{name} line 5: an empty cell, or white space too much",
    ]


@pytest.mark.parametrize("name", ["pairs.tsv", SECTIONS])
def test_lines_that_are_none(copy, name):
    columns = len(script.COLUMNS[name])
    rows = copy.cells(name)
    rows[0][1] = "subject"
    rows[2] = rows[2][:-1]
    rows[3][-1] = ""
    rows[4][-1] += " "
    rows[5][-1] = "a  b"
    rows[6][0] = "training"
    copy.write(rows, name)
    assert copy.faults() == [
        f"{name} line 1: the columns are not {', '.join(script.COLUMNS[name])}",
        f"{name} line 3: {columns - 1} columns instead of {columns}",
        f"{name} line 4: an empty cell, or white space too much",
        f"{name} line 5: an empty cell, or white space too much",
        f"{name} line 6: an empty cell, or white space too much",
        f"{name} line 7: the part is 'training', not one of train, validation, test",
    ]
    (copy.folder / name).write_bytes(b"\xff")
    assert copy.faults()[0].startswith(f"{name} cannot be read")
    (copy.folder / name).unlink()
    assert copy.faults()[0].startswith(f"{name} cannot be read")


def test_a_broken_set_exits_with_1(copy):
    copy.change(7, 3, "5")
    done = subprocess.run(
        [sys.executable, TOOL, copy.folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    *lines, last = done.stdout.splitlines()
    assert lines == [
        "FAULT pairs.tsv line 7: the score is '5'; expected 0.0 to 5.0 with one decimal",
        "1 fault",
    ]
    assert json.loads(last) == {"faults": 1}

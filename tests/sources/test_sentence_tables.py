"""Tables of sentence pairs and triplets: layouts, and every malformed row named."""

import csv
import gzip
import io
import itertools
import random

import numpy as np
import pytest

from siamese_course.runtime.errors import DataError
from siamese_course.sources import sentence_tables

GLUE_HEADER = (
    "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore"
)


TRIPLET_HEADER = "Sentence1,Sentence2,Sentence3,article_id,article"


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


@pytest.mark.parametrize("name", ["sts-train.csv", "sts-train.csv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_benchmarks_own_layout(write, name, end):
    lines = [sts("5.000"), sts("0", "One.", "Two.", "\thttp://a\thttp://b"), "", sts("2.75")]
    pairs = sentence_tables.read_scored_pairs(write(*lines, name=name, end=end))
    assert as_rows(pairs) == [
        ("A dog runs.", "A cat sits.", 5.0),
        ("One.", "Two.", 0.0),
        ("A dog runs.", "A cat sits.", 2.75),
    ]
    assert (len(pairs), pairs.score.dtype, pairs.score.shape) == (3, "float32", (3,))


def test_glues_layout(write):
    pairs = sentence_tables.read_scored_pairs(
        write(GLUE_HEADER, glue("1.25"), glue("4", "One.", "Two."))
    )
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
    assert as_rows(sentence_tables.read_scored_pairs(path)) == expected


def test_white_space_around_a_sentence_goes(write):
    pairs = sentence_tables.read_scored_pairs(write(sts(" 3.0 ", " One.  ", "\u00a0Two. ")))
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
    assert as_rows(sentence_tables.read_scored_pairs(path))[0] == (
        first or ("A dog runs.", "A cat sits.", 2.0)
    )


def test_the_last_line_needs_no_end(tmp_path):
    path = tmp_path / "sts-dev.csv"
    path.write_bytes(content_of(sts("1"), sts("2")).rstrip(b"\n"))
    assert sentence_tables.read_scored_pairs(path).score.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    "order", list(itertools.permutations(["sentence1", "sentence2", "score", "note"]))
)
@pytest.mark.parametrize("separator", ["\t", ","])
def test_columns_in_any_order(write, separator, order):
    cells = {"sentence1": "One.", "sentence2": "Two.", "score": "4.5", "note": "0.1"}
    names = [name.capitalize() if name == "score" else name for name in order]
    path = write(separator.join(names), separator.join(cells[name] for name in order))
    assert as_rows(sentence_tables.read_scored_pairs(path)) == [("One.", "Two.", 4.5)]


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
    assert as_rows(sentence_tables.read_scored_pairs(path)) == [
        (*row, float(n % 6)) for n, row in enumerate(rows)
    ]


def test_with_tabs_a_quote_is_a_character(write):
    path = write("score\tsentence1\tsentence2", '3\t"One\tTwo"', '4\t"a, b"\tc')
    assert as_rows(sentence_tables.read_scored_pairs(path)) == [
        ('"One', 'Two"', 3.0),
        ('"a, b"', "c", 4.0),
    ]


def test_taking_rows_and_masks():
    pairs = sentence_tables.ScoredPairs(list("abc"), list("xyz"), np.array([1, 2, 3], "float32"))
    assert as_rows(pairs.take([2, 0])) == [("c", "z", 3.0), ("a", "x", 1.0)]
    assert as_rows(pairs.take(pairs.score > 1.5)) == [("b", "y", 2.0), ("c", "z", 3.0)]
    assert (len(pairs.take([])), pairs.take([]).score.dtype) == (0, "float32")
    triplets = sentence_tables.Triplets(list("abc"), list("lmn"), list("xyz"))
    assert triplet_rows(triplets.take(range(1, 3))) == [("b", "m", "y"), ("c", "n", "z")]
    assert triplet_rows(triplets.take(np.array([True, False, False]))) == [("a", "l", "x")]
    assert len(triplets) == 3


# --- rows and files that cannot ---


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
def test_a_malformed_row_is_named(write, row, arguments, what):
    header = [GLUE_HEADER] if row is glue else []
    path = write(*header, row(), "", row(*arguments), row())
    number = 3 + len(header)
    with pytest.raises(DataError, match=rf"pairs\.tsv, line {number}: {what}"):
        sentence_tables.read_scored_pairs(path)


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
        sentence_tables.read_scored_pairs(write(*lines))


@pytest.mark.parametrize(
    ("lines", "what"),
    [
        (["2,a"], r"line 3: 2 columns instead of 3\."),
        (["2,a,b,c"], r"line 3: 4 columns instead of 3\."),
        (["6,a,b"], r"line 3: the score is '6'; expected"),
        (["2,,b"], r"line 3: sentence1 is empty"),
        (['2,"a\nb",c', "x,a,b"], r"line 5: the score is 'x'"),
        (['2,"never closed,b', "1,a,b", "1,a,b"], r"line 3: the row that begins here is not csv"),
        (['2,"a" b,c'], r"line 3: the row that begins here is not csv"),
        (['2,"' + "x" * 10_000_000], r"line 3: the row that begins here is not csv"),
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_malformed_csv_row_is_named_by_its_first_line(write, lines, what):
    path = write("score,sentence1,sentence2", "1,a,b", *lines, name="pairs.csv")
    with pytest.raises(DataError, match=rf"pairs\.csv, {what}"):
        sentence_tables.read_scored_pairs(path)


def test_glues_test_file_has_no_scores(write):
    path = write(GLUE_HEADER.removesuffix("\tscore"), glue().rpartition("\t")[0], name="test.tsv")
    with pytest.raises(DataError, match=r"test\.tsv has no column 'score'.*use train\.tsv or dev"):
        sentence_tables.read_scored_pairs(path)


@pytest.mark.parametrize("first", ["", "<html>Log in</html>", "sentence1\tscore", "a\tb\tc"])
def test_another_first_line_is_refused(write, first):
    path = write(first, "a\tb\tc")
    with pytest.raises(DataError, match=r"pairs\.tsv begins with .*; expected a header with"):
        sentence_tables.read_scored_pairs(path)


@pytest.mark.parametrize("lines", [[GLUE_HEADER], ["score,sentence1,sentence2", ""]])
def test_a_file_without_a_pair_is_refused(write, lines):
    with pytest.raises(DataError, match=r"pairs\.tsv holds no sentence pair"):
        sentence_tables.read_scored_pairs(write(*lines))


def test_another_encoding_is_named_with_its_line(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content_of(sts()) + sts("1", "é", "b").encode("latin-1"))
    with pytest.raises(DataError, match=r"pairs\.tsv, line 2: .*, not UTF-8\. Save it as UTF-8\."):
        sentence_tables.read_scored_pairs(path)
    path.write_bytes(sts().encode("utf-16"))
    with pytest.raises(DataError, match=r"line 1: .*, not UTF-8"):
        sentence_tables.read_scored_pairs(path)


def test_what_cannot_be_opened_or_unpacked_is_named(tmp_path, write):
    whole = write(*(sts(n % 5, f"{n * 7919}?") for n in range(3000)), name="sts.csv.gz")
    broken = tmp_path / "broken.csv.gz"
    broken.write_bytes(whole.read_bytes()[:-2000])
    plain = tmp_path / "plain.csv.gz"
    plain.write_bytes(content_of(sts()))
    for path in (broken, plain, tmp_path / "missing.tsv", tmp_path):
        for read in (sentence_tables.read_scored_pairs, sentence_tables.read_triplets):
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
    triplets = sentence_tables.read_triplets(write(*lines, name=name, end=end))
    assert triplet_rows(triplets) == [
        ('He said "no", and left.', "b", "c, d"),
        ("one\u2028two", "b", "c"),
    ]


def test_triplets_by_the_names_of_their_columns(write):
    path = write("article,Sentence3,Sentence1,Sentence2", "x,far,anchor,near", name="t.csv")
    assert triplet_rows(sentence_tables.read_triplets(path)) == [("anchor", "near", "far")]
    path = write("negative\tanchor\tpositive", 'far\t"anchor\tnear, "', name="t.tsv")
    assert triplet_rows(sentence_tables.read_triplets(path)) == [('"anchor', 'near, "', "far")]


def test_at_most_so_many_triplets(write):
    rows = [f"a{n},b{n},c{n},{n},t" for n in range(5)]
    path = write(TRIPLET_HEADER, *rows, "a broken row")
    assert len(sentence_tables.read_triplets(path, 3)) == 3
    assert sentence_tables.read_triplets(path, 5).anchor == ["a0", "a1", "a2", "a3", "a4"]
    for most in (6, None):
        with pytest.raises(DataError, match=r"line 7: 1 columns instead of 5"):
            sentence_tables.read_triplets(path, most)


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
        sentence_tables.read_triplets(write(*lines, name="t.csv"))

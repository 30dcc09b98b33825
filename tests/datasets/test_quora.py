"""Quora's file and its splits: every way a row can be broken, and no question in two parts."""

import csv
import gzip
import html
import io
import itertools
import sys
import tracemalloc
import zlib
from dataclasses import replace

import numpy as np
import pytest

from siamese_course.datasets import quora
from siamese_course.runtime.errors import DataError, NetworkError

HEADER = "\t".join(quora.COLUMNS)


def write(path, *lines, end="\n", header=HEADER):
    content = "".join(line + end for line in (header, *lines)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


@pytest.fixture
def read(tmp_path):
    """Lines after the header -> (rows, report)."""

    def read_lines(*lines, name="quora.tsv", end="\n"):
        report = quora.ReadingReport()
        path = write(tmp_path / name, *lines, end=end)
        return list(quora.stream_rows(path, report)), report

    return read_lines


def good(number, question1="How old are you?", question2="What is your age?", same=1):
    return f"{number}\t{2 * number + 1}\t{2 * number + 2}\t{question1}\t{question2}\t{same}"


def questions(rows):
    return [(row.question1, row.question2) for row in rows]


def pairs_of(links, same=None, question="question {}".format):
    """Pairs of question numbers as ``QuestionPairs``."""
    left, right = np.array(links, "int64").reshape(-1, 2).T
    same = np.ones(len(left)) if same is None else same
    return quora.QuestionPairs(
        [question(n) for n in left],
        [question(n) for n in right],
        np.array(same, "int8"),
        left,
        right,
    )


def as_set(pairs):
    return sorted(zip(pairs.qid1.tolist(), pairs.qid2.tolist(), pairs.same.tolist(), strict=True))


def texts(*parts):
    return {question for pairs in parts for question in (*pairs.question1, *pairs.question2)}


# --- rows that can be read ---


def test_a_row_has_its_line_ids_questions_and_label(read):
    rows, report = read(good(0), good(1, same=0))
    assert rows[0] == (2, 0, 1, 2, "How old are you?", "What is your age?", 1)
    assert rows[1] == (3, 1, 3, 4, "How old are you?", "What is your age?", 0)
    assert str(report) == "2 rows, 0 with an empty question, none malformed"


@pytest.mark.parametrize(
    ("field", "question"),
    [
        ('"Who said ""I came""?"', 'Who said "I came"?'),
        ('""""', '"'),
        ('"Ein, zwei; ""drei"""', 'Ein, zwei; "drei"'),
        ('Who said "I came"?', 'Who said "I came"?'),
        ('"a\tb"', "a b"),
        ('"first\nsecond\n\nthird"', "first second third"),
        ("first\nsecond\n\nthird", "first second third"),
        ('"She said ""no""\nand left?"', 'She said "no" and left?'),
        ("\nfirst", "first"),
        ('"12\t13\nand more"', "12 13 and more"),
        ("first\r\nsecond", "first second"),
        ("first\rsecond", "first second"),
        ("NUL\0L", "NULL"),
        ("a &lt; b &amp; c &#39;d&#39; &eacute; &nosuch;", "a < b & c 'd' é &nosuch;"),
        ("a&nbsp;b&#10;c", "a b c"),
        ("  many \u00a0 \u2003 spaces  ", "many spaces"),
        ("one\u2028two\x85three\x0bfour", "one two three four"),
        ("मैं कौन हूँ? 🤷‍♀️ מי אני", "मैं कौन हूँ? 🤷‍♀️ מי אני"),
        ("x" * 30_000, "x" * 30_000),
    ],
    ids=lambda value: ascii(value)[:30],
)
@pytest.mark.parametrize("column", [1, 2])
def test_a_question_is_read_in_either_column(read, field, question, column):
    row = good(1, field, "other?") if column == 1 else good(1, "other?", field)
    rows, report = read(good(0), row, good(2))
    expected = (question, "other?") if column == 1 else ("other?", question)
    assert questions(rows)[1] == expected
    assert (len(rows), report.rows, report.malformed) == (3, 3, [])
    assert rows[1].line == 3
    assert rows[2].line == 4 + row.count("\n")


def test_what_csv_writes_is_read_back(tmp_path):
    rng = np.random.default_rng(0)
    pieces = ['"', '""', "\n", "\r\n", "'", "&amp;", "a", "bc", " ", ",", "é", "😀", "?", "0", "7"]
    written = [
        tuple("Q" + "".join(rng.choice(pieces, rng.integers(0, 15))) for _ in range(2))
        for _ in range(400)
    ]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(quora.COLUMNS)
    writer.writerows((n, 2 * n, 2 * n + 1, *pair, n % 2) for n, pair in enumerate(written))
    path = tmp_path / "quora.tsv"
    path.write_bytes(stream.getvalue().encode())
    report = quora.ReadingReport()
    rows = list(quora.stream_rows(path, report))
    assert [row.id for row in rows] == list(range(400))
    assert questions(rows) == [
        tuple(" ".join(html.unescape(question).split()) for question in pair) for pair in written
    ]
    assert (report.rows, report.malformed) == (400, [])


def test_empty_questions_are_kept_and_counted(read):
    rows, report = read(good(0, ""), good(1), good(2, '""', " "), good(3, "ok?", "&nbsp;"))
    assert [row.question1 for row in rows] == ["", "How old are you?", "", "ok?"]
    assert (report.rows, report.empty_questions, report.malformed) == (4, 3, [])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["quora.tsv", "quora.tsv.gz"])
def test_line_ends_and_compression_make_no_difference(read, end, name):
    rows, report = read(good(0), good(1, same=0), "", good(2), name=name, end=end)
    assert [(row.line, row.id, row.same) for row in rows] == [(2, 0, 1), (3, 1, 0), (5, 2, 1)]
    assert report.malformed == []


def test_the_last_line_needs_no_end_and_a_wrong_byte_spoils_one_character(tmp_path):
    path = tmp_path / "quora.tsv"
    path.write_bytes(f"{HEADER}\n{good(0, 'na@ve?')}".encode().replace(b"@", b"\xef"))
    ((_, _, _, _, question, _, same),) = quora.stream_rows(path)
    assert (question, same) == ("na\ufffdve?", 1)


@pytest.mark.parametrize("header", [HEADER, HEADER.replace("id", '"id"', 1), HEADER + "\r"])
def test_headers_that_are_quoras(tmp_path, header):
    path = write(tmp_path / "quora.tsv", good(0), header=header)
    assert len(list(quora.stream_rows(path))) == 1


# --- rows that cannot ---

BROKEN = {
    "quote never closed": good(1, '"How old are you?'),
    "quote never closed, second question": good(1, "How old?", '"What is your age?'),
    "too few columns": "1\t3\t4\tonly one question?\t1",
    "too many columns": good(1) + "\t1",
    "label": good(1, same=2),
    "no label": good(1, same=""),
    "word for a label": good(1, same="yes"),
    "id": good(1).replace("1\t", "x\t", 1),
    "no id": good(1).replace("3\t", "\t", 1),
    "negative id": good(1).replace("1\t", "-1\t", 1),
    "broken number": good(1).replace("3\t", "3.5\t", 1),
    "superscript for an id": good(1).replace("3\t", "\u00b2\t", 1),
    "id that no int64 holds": good(1).replace("3\t", "9" * 19 + "\t", 1),
    "id that no int reads": good(1).replace("3\t", "9" * 5000 + "\t", 1),
    "endless question": good(1, "x" * 200_000),
    "endless quoted question": good(1, '"' + "x" * 200_000 + '"'),
}


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("quote never closed", "a quote that is never closed, or too few columns"),
        ("too few columns", "a quote that is never closed, or too few columns"),
        ("too many columns", "7 columns instead of 6"),
        ("label", "is_duplicate is '2'"),
        ("no label", "is_duplicate is ''"),
        ("id", "the ids are ['x', '3', '4']"),
        ("id that no int reads", f"the ids are ['1', '{'9' * 20}', '4']"),
        ("endless question", "200,026 characters"),
    ],
)
def test_the_report_says_what_was_wrong(read, kind, reason):
    rows, report = read(good(0), BROKEN[kind], good(2))
    assert [row.id for row in rows] == [0, 2]
    assert report.malformed == [(3, reason)]
    assert str(report) == (
        f"2 rows, 0 with an empty question, 1 malformed and left out: line 3 ({reason})"
    )


@pytest.mark.parametrize("second", BROKEN)
@pytest.mark.parametrize("first", BROKEN)
def test_broken_rows_swallow_neither_good_rows_nor_each_other(read, first, second):
    lines = [good(0), BROKEN[first], good(2), BROKEN[first], BROKEN[second], good(5, "a\nb?")]
    rows, report = read(*lines, BROKEN[second])
    assert [row.id for row in rows] == [0, 2, 5]
    assert [number for number, _ in report.malformed] == [3, 5, 6, 9]
    assert report.rows == 3


def test_an_open_quote_ends_with_the_next_row_or_after_twenty_lines(read):
    prose = [f"line {n}" for n in range(50)]
    rows, report = read(good(0), good(1, '"' + "\n".join(prose[:5])), good(2, '"quoted ""here"""'))
    assert [row.id for row in rows] == [0, 2]
    assert [number for number, _ in report.malformed] == [3]
    rows, report = read(good(0), good(1, '"' + "\n".join(prose)), good(2))
    assert [row.id for row in rows] == [0, 2]
    assert report.malformed[0] == (3, "4 columns instead of 6")


@pytest.mark.parametrize("quote", ['"', ""])
@pytest.mark.parametrize(("breaks", "rows_read"), [(19, 3), (40, 2)])
def test_twenty_lines_are_the_longest_question(read, quote, breaks, rows_read):
    question = quote + "x\n" * breaks + "y" + quote
    rows, report = read(good(0), good(1, question), good(2))
    assert len(rows) == rows_read
    assert bool(report.malformed) == (rows_read == 2)
    assert rows[-1].line == 4 + breaks


def test_stray_text_between_rows_is_reported(read):
    rows, report = read(good(0), "stray", good(2), "", "   ", "stray\tagain", good(7))
    assert [row.id for row in rows] == [0, 2, 7]
    assert [number for number, _ in report.malformed] == [3, 7]


def test_a_long_report_names_five_lines(read):
    _, report = read(*[BROKEN["label"]] * 7)
    text = str(report)
    assert text.startswith("0 rows, 0 with an empty question, 7 malformed and left out: line 2 (")
    assert text.count("line ") == 5
    assert text.endswith(", ...")


def test_rows_and_malformed_add_up_in_a_long_random_file(read):
    rng = np.random.default_rng(1)
    kinds = sorted(BROKEN.keys() - {"endless question", "endless quoted question"})
    lines, broken, ids, line = [], [], [], 2
    for number in range(2000):
        if rng.random() < 0.2:
            lines.append(BROKEN[rng.choice(kinds)])
            broken.append(line)
        else:
            lines.append(good(number, "a\nb?" if rng.random() < 0.1 else '"""a"" b?"'))
            ids.append(number)
        line += 1 + lines[-1].count("\n")
    rows, report = read(*lines)
    assert [row.id for row in rows] == ids
    assert [number for number, _ in report.malformed] == broken
    assert report.rows + len(report.malformed) == 2000


# --- files that cannot be read ---


@pytest.mark.parametrize(
    "header",
    [
        "",
        "<html>Log in</html>",
        HEADER.replace("\t", ","),
        HEADER.replace("qid1\tqid2", "qid2\tqid1"),
        HEADER + "\textra",
        HEADER.removeprefix("id\t"),
        good(0),
        "x" * 200_000,
        '"' + "x" * 200_000,
    ],
    ids=["blank", "web page", "commas", "order", "extra", "fewer", "none", "endless", "quote"],
)
def test_another_header_is_refused(tmp_path, header):
    path = write(tmp_path / "quora.tsv", good(0), header=header)
    with pytest.raises(DataError, match=r"quora\.tsv begins with .*expected the columns") as error:
        next(quora.stream_rows(path))
    assert len(str(error.value)) < 1000


def test_a_file_without_a_pair_is_refused(tmp_path):
    empty = tmp_path / "empty.tsv"
    empty.touch()
    with pytest.raises(DataError, match=r"empty\.tsv begins with ''"):
        quora.read_pairs(empty)
    for lines in ([], [""], [BROKEN["label"]]):
        path = write(tmp_path / "none.tsv", *lines)
        with pytest.raises(DataError, match=r"none\.tsv holds no question pair"):
            quora.read_pairs(path)


def test_a_damaged_gzip_file_is_named_wherever_the_damage_is(tmp_path):
    path = write(tmp_path / "quora.tsv.gz", *(good(n, f"{n * 7919}?") for n in range(3000)))
    whole = path.read_bytes()
    causes = set()
    for place in range(2, 10):
        path.write_bytes(whole[: len(whole) * place // 10])
        with pytest.raises(DataError, match=r"quora\.tsv\.gz cannot be read.*Fetch it again") as at:
            list(quora.stream_rows(path))
        causes.add(type(at.value.__cause__))
    for place in range(20, len(whole) - 8, len(whole) // 20):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(DataError, match=r"cannot be read|begins with") as at:
            list(quora.stream_rows(path))
        causes.add(type(at.value.__cause__))
    assert causes >= {EOFError, gzip.BadGzipFile, zlib.error}


def test_what_is_no_file_or_no_gzip_is_named(tmp_path):
    plain = tmp_path / "quora.tsv.gz"
    plain.write_text(HEADER)
    for path in (plain, tmp_path / "missing.tsv", tmp_path):
        with pytest.raises(DataError, match=f"{path.name} cannot be read"):
            list(quora.stream_rows(path))


def test_reading_takes_no_more_memory_for_ten_times_the_rows(tmp_path):
    """The peak over the first and the last 10,000 rows: tracing all of them takes too long."""
    peaks, blocks = {}, {}
    for count in (20_000, 200_000):
        path = write(tmp_path / f"{count}.tsv", *map(good, range(count)))
        report = quora.ReadingReport()
        rows = quora.stream_rows(path, report)
        for window in (0, 1):
            tracemalloc.start()
            for _ in itertools.islice(rows, 10_000):
                pass
            peaks[count, window] = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            blocks[count, window] = sys.getallocatedblocks()
            for _ in itertools.islice(rows, count - 20_000 if window == 0 else 0):
                pass
        assert next(rows, None) is None
        assert report.rows == count
    assert max(peaks.values()) < 200_000  # bytes; 10,000 rows kept would be more than 3 million
    assert abs(peaks[200_000, 0] - peaks[20_000, 0]) < 50_000
    assert blocks[200_000, 1] - blocks[200_000, 0] < 5_000


# --- pairs ---


def test_columns_of_pairs(tmp_path):
    path = write(tmp_path / "quora.tsv", good(0), BROKEN["label"], good(2, "é &amp; 2?", same=0))
    report = quora.ReadingReport()
    pairs = quora.read_pairs(path, report)
    assert len(pairs) == 2
    assert pairs.question1 == ["How old are you?", "é & 2?"]
    assert pairs.question2 == ["What is your age?"] * 2
    assert (pairs.same.dtype, pairs.qid1.dtype, pairs.qid2.dtype) == ("int8", "int64", "int64")
    assert as_set(pairs) == [(1, 2, 1), (5, 6, 0)]
    assert (report.rows, len(report.malformed)) == (2, 1)


def test_taking_rows_and_masks():
    pairs = pairs_of([(0, 1), (2, 3), (4, 5)], [1, 0, 1])
    assert pairs.take([2, 0]).question1 == ["question 4", "question 0"]
    assert pairs.take([2, 0]).qid2.tolist() == [5, 1]
    assert pairs.take(np.array([False, True, False])).same.tolist() == [0]
    assert pairs.take(pairs.same == 1).question1 == pairs.duplicates().question1
    assert pairs.duplicates().qid1.tolist() == [0, 4]
    assert len(pairs.take([])) == len(pairs.take(np.zeros(3, bool))) == 0


# --- components ---


def union_find(links):
    """The root of each number, by hand."""
    parent = {}

    def root(number):
        parent.setdefault(number, number)
        return number if parent[number] == number else root(parent[number])

    for left, right in links:
        parent[root(left)] = root(right)
    return root


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("duplicates_only", [False, True])
def test_components_are_those_of_union_find(seed, duplicates_only):
    rng = np.random.default_rng(seed)
    links = rng.integers(0, 100, (70, 2)) * 1_000_003  # ids need not be small or without gaps
    pairs = pairs_of(links, rng.integers(0, 2, 70))
    found = quora.components(pairs, duplicates_only=duplicates_only)
    used = links[pairs.same == 1] if duplicates_only else links
    root = union_find(used.tolist())
    roots = [root(number) for number in links[:, 0].tolist()]
    assert found.shape == (70,)
    assert 1 < len(set(roots)) < 70
    for i, j in itertools.combinations(range(70), 2):
        assert (found[i] == found[j]) == (roots[i] == roots[j])


def test_components_by_hand():
    pairs = pairs_of([(1, 2), (2, 3), (3, 4), (5, 6), (7, 7)], [1, 1, 0, 1, 1])
    a, b, c, d, e = quora.components(pairs)
    assert a == b == c
    assert len({a, d, e}) == 3
    a, b, c, d, e = quora.components(pairs, duplicates_only=True)
    assert a == b == c  # the third pair's first question is in the first group
    assert len({a, d, e}) == 3
    a, b = quora.components(pairs_of([(1, 2), (3, 2)], [1, 0]), duplicates_only=True)
    assert a != b


# --- splits ---


def clusters(rng, count=2500, questions_each=4, pairs_each=4):
    """Random pairs inside little clusters of questions, shuffled."""
    cluster = np.repeat(np.arange(count), rng.integers(1, pairs_each + 1, count))
    links = cluster[:, None] * questions_each + rng.integers(0, questions_each, (len(cluster), 2))
    return pairs_of(rng.permutation(links), rng.integers(0, 2, len(links)))


@pytest.mark.parametrize("shares", [(0.8, 0.1, 0.1), (0.5, 0.5), (0.94, 0.06), (1.0,)])
def test_no_question_is_in_two_parts_and_no_pair_is_lost(shares):
    pairs = clusters(np.random.default_rng(0))
    parts = quora.split_pairs(pairs, shares)
    assert len(parts) == len(shares)
    for one, other in itertools.combinations(parts, 2):
        assert not texts(one) & texts(other)
        assert not {*one.qid1, *one.qid2} & {*other.qid1, *other.qid2}
    assert sorted(row for part in parts for row in as_set(part)) == as_set(pairs)
    for part, share in zip(parts, shares, strict=True):
        assert len(part) / len(pairs) == pytest.approx(share, abs=0.002)


def test_linked_by_any_pair_is_linked():
    """0-1 is a duplicate and 1-2 is not: all three questions go to one part."""
    pairs = pairs_of([(0, 1), (1, 2), (3, 4), (5, 6)], [1, 0, 1, 0])
    for seed in range(10):
        parts = quora.split_pairs(pairs, (0.5, 0.5), seed)
        assert sum(map(len, parts)) == 4
        assert any({"question 0", "question 1", "question 2"} <= texts(part) for part in parts)


def test_large_components_do_not_spoil_the_shares():
    chains = [(n, n + 1) for n in range(600)] + [(n, n + 1) for n in range(1000, 1300)]
    pairs = pairs_of(chains + [(n, n + 1) for n in range(10_000, 18_000, 2)])
    for seed in range(5):
        parts = quora.split_pairs(pairs, (0.8, 0.1, 0.1), seed)
        for part, share in zip(parts, (0.8, 0.1, 0.1), strict=True):
            assert len(part) / len(pairs) == pytest.approx(share, abs=0.002)


def test_as_many_parts_as_components_leave_none_empty():
    pairs = pairs_of([(0, 1), (1, 2), (2, 3), (4, 5), (6, 7)])
    for seed in range(10):
        assert min(map(len, quora.split_pairs(pairs, (0.8, 0.1, 0.1), seed))) >= 1


def test_splits_follow_the_seed():
    pairs = clusters(np.random.default_rng(2), 200)
    first, again, other = (
        list(map(as_set, quora.split_pairs(pairs, seed=seed))) for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("shares", "message"),
    [
        ((0.8, 0.1), r"shares is \(0\.8, 0\.1\); expected positive numbers that add up to 1"),
        ((1.2, -0.2), "expected positive numbers"),
        ((1, 0), "expected positive numbers"),
        ((0.2,) * 5, r"all pairs hang together in 4 component\(s\); expected at least 5"),
    ],
)
def test_shares_that_cannot_be_are_refused(shares, message):
    with pytest.raises(ValueError, match=message):
        quora.split_pairs(pairs_of([(0, 1), (2, 3), (4, 5), (6, 7)]), shares)


def test_one_component_cannot_be_split():
    with pytest.raises(ValueError, match=r"in 1 component\(s\); expected at least 3"):
        quora.split_pairs(pairs_of([(0, 1), (1, 2), (2, 3)]))


# --- drawing to a share ---


@pytest.mark.parametrize("share", [0.37, 0.5, 0.05, 0.9])
@pytest.mark.parametrize(
    ("duplicates", "others"), [(300, 300), (80, 20), (7, 1000), (1000, 70), (37, 63)]
)
def test_as_many_pairs_as_the_share_allows(duplicates, others, share):
    n = duplicates + others
    same = np.random.default_rng(0).permutation([1] * duplicates + [0] * others)
    pairs = pairs_of([(2 * i, 2 * i + 1) for i in range(n)], same)
    drawn = quora.draw_to_share(pairs, share)
    kinds = np.bincount(drawn.same, minlength=2)
    assert kinds[1] == duplicates or kinds[0] == others  # one kind is used up
    assert abs(kinds[1] - share * len(drawn)) <= 0.5
    assert len(set(drawn.qid1.tolist())) == len(drawn)
    assert set(as_set(drawn)) <= set(as_set(pairs))
    assert as_set(drawn) == as_set(quora.draw_to_share(pairs, share))
    assert drawn.qid1.tolist() == sorted(drawn.qid1.tolist())


@pytest.mark.parametrize("share", [0.37, 0.5, 0.25])
def test_never_more_than_asked_for(share):
    pairs = pairs_of([(2 * i, 2 * i + 1) for i in range(200)], [0, 1] * 100)
    for most in range(4, 60):
        drawn = quora.draw_to_share(pairs, share, most=most)
        assert len(drawn) == most
        assert abs(drawn.same.sum() - share * most) <= 0.5
    assert as_set(quora.draw_to_share(pairs, share, most=10_000)) == as_set(
        quora.draw_to_share(pairs, share)
    )


def test_other_seeds_draw_other_pairs():
    pairs = pairs_of([(2 * i, 2 * i + 1) for i in range(200)], [0, 1] * 100)
    drawn = {tuple(as_set(quora.draw_to_share(pairs, seed=seed))) for seed in range(5)}
    assert len(drawn) == 5


@pytest.mark.parametrize("share", [0, 1, -0.1, 1.5, float("nan")])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ValueError, match=r"share is .*; expected a number between 0 and 1"):
        quora.draw_to_share(pairs_of([(0, 1), (2, 3)], [0, 1]), share)


@pytest.mark.parametrize(
    ("same", "most"), [([1, 1, 1], None), ([0, 0, 0], None), ([0, 1, 1], 0), ([0, 1, 1], 1)]
)
def test_both_kinds_are_needed(same, most):
    with pytest.raises(ValueError, match=r"\d duplicates and \d others.*expected enough of both"):
        quora.draw_to_share(pairs_of([(0, 1), (2, 3), (4, 5)], same), most=most)


# --- the same question, written a little differently ---


@pytest.mark.parametrize(
    ("question", "same_question"),
    [
        ("Why didn't it work?", "why did n't it work"),
        ("What's a CPU (processor)?", "what 's a cpu -lrb- processor -rrb-"),
        ("I cannot sleep [at night].", "i can not sleep -lsb- at night -rsb-"),
        ('Who said "I came"?', "who said `` i came ''"),
        ("Is C# 5.0 out?", "is c 5.0 out ?"),
        ("À la carte?", "à LA carte"),
    ],
)
def test_the_normal_form_is_the_same(question, same_question):
    assert quora.normal_form(question) == quora.normal_form(same_question)


@pytest.mark.parametrize(
    ("question", "other"),
    [("Is it 10?", "Is it 11?"), ("A or B?", "B or A?"), ("Is it?", "It is?"), ("na", "nа")],
)
def test_the_normal_form_is_another(question, other):
    assert quora.normal_form(question) != quora.normal_form(other)


def test_duplicates_with_a_held_out_question_go():
    held_out = pairs_of([(1, 2)])
    other = pairs_of([(3, 4)], [0])
    extra = [
        ("question 1", "new"),
        ("new", "QUESTION 2 ?"),
        ("question  1", "question 2"),
        ("question 3", "question 5"),
        ("question 5", "question 6"),
        ("question 12", "new"),
    ]
    assert quora.without_questions_of(extra, held_out) == extra[3:]
    assert quora.without_questions_of(extra, held_out, other) == extra[4:]
    assert quora.without_questions_of(extra) == extra
    assert quora.without_questions_of([], held_out) == []


# --- the three parts ---


def many_pairs(seed=0):
    return clusters(np.random.default_rng(seed), 1500)


def forms(*parts):
    return set(map(quora.normal_form, texts(*parts)))


def pair_forms(question1, question2):
    return {
        frozenset(map(quora.normal_form, pair)) for pair in zip(question1, question2, strict=True)
    }


def test_no_test_question_is_anywhere_else():
    pairs = many_pairs()
    extra = [(f"QUESTION {n}", f"question-{n + 1} ?") for n in range(0, 6000, 3)]
    data = quora.split_quora(pairs, extra, "made up")
    assert not forms(data.test) & forms(data.train, data.validation)
    found = {question for pair in data.extra_duplicates for question in pair}
    assert not forms(data.test) & set(map(quora.normal_form, found))
    known = pair_forms(data.validation.question1, data.validation.question2)
    assert known
    assert not known & pair_forms(*zip(*data.extra_duplicates, strict=True))
    assert set(data.extra_duplicates) < set(extra)
    assert data.source == "made up"


def test_parts_have_their_sizes_and_shares():
    pairs = many_pairs()
    data = quora.split_quora(pairs)
    assert len(data.train) / len(pairs) == pytest.approx(0.94 * 0.93, abs=0.02)
    for part in (data.validation, data.test):
        assert part.same.mean() == pytest.approx(quora.DUPLICATE_SHARE, abs=0.01)
    assert set(as_set(data.train)) | set(as_set(data.validation)) | set(as_set(data.test)) <= set(
        as_set(pairs)
    )
    assert data.extra_duplicates == []


def test_every_extra_duplicate_that_leaks_nothing_is_kept():
    """By hand: out goes an extra pair with a test question, and one that is a validation pair."""
    pairs = pairs_of([(2 * n, 2 * n + 1) for n in range(1500)], [0, 1, 1] * 500)
    extra = [(f"question {n} ?", f"question {n + 1} ?") for n in range(3000)]
    extra += [(f"Question {n + 1}", f"Question {n}") for n in range(0, 3000, 2)]
    extra += [(f"question {n}", "brand new") for n in range(3000)] + [("brand new", "also new")]
    data = quora.split_quora(pairs, extra)
    _, test = quora.split_pairs(pairs, (1 - quora.TEST_SHARE, quora.TEST_SHARE), 0)
    test_questions = {int(number) for number in (*test.qid1, *test.qid2)}
    train_questions = {int(number) for number in (*data.train.qid1, *data.train.qid2)}
    kept = []
    for pair in extra:
        numbers = [int(text.split()[1]) for text in pair if text.lower().startswith("question")]
        is_validation_pair = (
            len(numbers) == 2
            and min(numbers) % 2 == 0
            and train_questions.isdisjoint(numbers)
            and test_questions.isdisjoint(numbers)
        )
        if test_questions.isdisjoint(numbers) and not is_validation_pair:
            kept.append(pair)
    assert data.extra_duplicates == kept
    assert 0 < len(kept) < len(extra)


def test_a_tokenized_extra_duplicate_of_a_test_question_is_found():
    pairs = many_pairs()
    wording = "Why didn't question {} (the one) work?".format
    written = replace(
        pairs,
        question1=[wording(number) for number in pairs.qid1],
        question2=[wording(number) for number in pairs.qid2],
    )
    extra = [(f"why did n't question {n} -lrb- the one -rrb- work", "new") for n in range(6000)]
    data = quora.split_quora(written, extra)
    kept = {int(question.split()[4]) for question, _ in data.extra_duplicates}
    assert len(kept) > 5000
    assert kept.isdisjoint([*data.test.qid1.tolist(), *data.test.qid2.tolist()])


def test_a_test_question_under_a_second_id_is_not_trained_on():
    """Every pair stands there twice, the second time in capitals and under other ids."""
    pairs = many_pairs()
    twice = quora.QuestionPairs(
        [*pairs.question1, *(f"{question.upper()} ?" for question in pairs.question1)],
        [*pairs.question2, *(f"{question.upper()} ?" for question in pairs.question2)],
        np.tile(pairs.same, 2),
        np.concatenate([pairs.qid1, 100_000 + pairs.qid1]),
        np.concatenate([pairs.qid2, 100_000 + pairs.qid2]),
    )
    data = quora.split_quora(twice)
    test = {question.lower().removesuffix(" ?") for question in texts(data.test)}
    others = texts(data.train, data.validation)
    assert test.isdisjoint(question.lower().removesuffix(" ?") for question in others)
    assert len(data.train) > 0.7 * len(twice)


def test_the_three_parts_follow_the_seed():
    pairs = many_pairs()
    parts = [
        [as_set(part) for part in (data.train, data.validation, data.test)]
        for data in (quora.split_quora(pairs, seed=seed) for seed in (1, 1, 2))
    ]
    assert parts[0] == parts[1]
    assert parts[0] != parts[2]


# --- loading ---


@pytest.fixture
def small_folder(tmp_path, monkeypatch):
    """A data directory with 3,000 pairs, a broken row, and extra duplicates."""
    folder = tmp_path / "quora"
    folder.mkdir()
    lines = [good(n, f"one {n}?", f"other {n}?", int(n % 5 > 0)) for n in range(3000)]
    write(folder / quora.FILE, *lines, BROKEN["label"])
    extra = ["".join(f"one {n}\tnew {n}\n" for n in range(3000)), "no tab\n", "a\tb\tc\n", "\n"]
    with gzip.open(folder / f"{quora.EXTRA_FILE}.gz", "wt") as stream:
        stream.writelines(extra)
    monkeypatch.setenv("SIAMESE_COURSE_DATA", str(tmp_path))
    return folder


def test_questions_from_a_data_directory(small_folder, capsys):
    data = quora.load_questions()
    printed = capsys.readouterr().out
    assert "1 malformed and left out: line 3002 (is_duplicate is '2')" in printed
    assert str(data) in printed
    assert f"Questions: {len(data.train):,} train pairs (" in printed
    assert f"{len(data.extra_duplicates):,} more duplicates (Quora, SIAMESE_COURSE_DATA)" in printed
    assert len(data.extra_duplicates) == 3000 - 180  # the test has 6% of the components
    assert not forms(data.test) & set(map(quora.normal_form, np.ravel(data.extra_duplicates)))


def test_the_data_directory_needs_no_extra_duplicates(small_folder, capsys):
    (small_folder / f"{quora.EXTRA_FILE}.gz").unlink()
    data = quora.load_questions(verbose=False)
    assert data.extra_duplicates == []
    assert capsys.readouterr().out == ""


def test_a_damaged_file_is_not_replaced_by_the_courses_own_questions(small_folder):
    (small_folder / quora.FILE).write_text("<html>Log in</html>")
    with pytest.raises(DataError, match="begins with '<html>Log in</html>'"):
        quora.load_questions()


def test_shipped_questions_are_the_courses_own(shipped, capsys):
    data = quora.load_questions()
    assert data.source == "the course's own questions"
    assert data.extra_duplicates == []
    assert capsys.readouterr().out == f"{data}\n"  # asked for, so no word of a fall-back
    for one, other in itertools.combinations((data.train, data.validation, data.test), 2):
        assert not forms(one) & forms(other)
    assert quora.load_extra_duplicates() == []


def test_few_pairs_to_score_are_drawn_at_random_from_all(shipped):
    whole = quora.load_questions(verbose=False)
    few = quora.load_questions(scored=500, verbose=False)
    assert len(few.train) == len(whole.train)
    for part, complete in ((few.validation, whole.validation), (few.test, whole.test)):
        pairs = set(zip(part.question1, part.question2, strict=True))
        assert len(pairs) == len(part) == 500
        assert pairs <= set(zip(complete.question1, complete.question2, strict=True))
        assert part.same.mean() == pytest.approx(complete.same.mean(), abs=0.05)
    assert len(quora.load_questions(scored=10**6, verbose=False).test) == len(whole.test)


def test_without_a_network_the_reason_is_said(no_data_directory, monkeypatch, capsys):
    def no_network(name, filename):
        raise NetworkError("could not connect")

    monkeypatch.setattr(quora, "locate", no_network)
    data = quora.load_questions()
    assert data.source == "the course's own questions"
    assert "Quora's data is not at hand: could not connect" in capsys.readouterr().out
    quora.load_questions(verbose=False)
    assert capsys.readouterr().out == ""


@pytest.mark.real_data
def test_real_questions_leak_nothing(real_data, capsys):
    data = quora.load_questions()
    assert "(Quora, SIAMESE_COURSE_DATA)" in capsys.readouterr().out
    for part in (data.validation, data.test):
        assert len(part) > 900
        assert part.same.mean() == pytest.approx(quora.DUPLICATE_SHARE, abs=0.001)
    held_out = forms(data.test)
    assert not held_out & forms(data.train, data.validation)
    assert all(held_out.isdisjoint(map(quora.normal_form, pair)) for pair in data.extra_duplicates)
    known = pair_forms(data.validation.question1, data.validation.question2)
    train = data.train.duplicates()
    assert not known & pair_forms(*zip(*data.extra_duplicates, strict=True))
    assert not known & pair_forms(train.question1, train.question2)
    ids = {*data.test.qid1.tolist(), *data.test.qid2.tolist()}
    assert ids.isdisjoint([*data.train.qid1.tolist(), *data.train.qid2.tolist()])
    # another yardstick than the module's own: ASCII letters and digits, and nothing else
    strict = {"".join(c for c in text.lower() if c.isascii() and c.isalnum()) for text in held_out}
    for pair in data.extra_duplicates:
        for question in pair:
            letters = "".join(c for c in question if c.isascii() and c.isalnum())
            assert letters not in strict


@pytest.mark.real_data
def test_real_rows_are_all_read(real_data):
    path, _ = quora.locate("quora", quora.FILE)
    report = quora.ReadingReport()
    pairs = quora.read_pairs(path, report)
    assert len(pairs) == report.rows
    assert len(pairs) in (73_463, 404_290)  # the subset that the course is tested with, or all
    assert report.malformed == []
    assert all("\n" not in question and "&amp;" not in question for question in texts(pairs))
    assert sorted(set(pairs.same.tolist())) == [0, 1]

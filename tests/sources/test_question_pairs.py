"""Files of question pairs: every way a row can be broken, and no row dropped without a report."""

import csv
import gzip
import html
import io
import lzma
import zlib

import numpy as np
import pytest

from siamese_course.datasets import question_splits, quora
from siamese_course.runtime.errors import DataError
from siamese_course.sources import question_pairs
from tests.made_up import as_set, pairs_of, texts

QUORA_COLUMNS = ("id", "qid1", "qid2", "question1", "question2", "is_duplicate")
HEADER = "\t".join(QUORA_COLUMNS)


def write(path, *lines, end="\n", header=HEADER):
    content = "".join(line + end for line in (header, *lines)).encode()
    compress = {".gz": gzip.compress, ".xz": lzma.compress}.get(path.suffix.lower(), bytes)
    path.write_bytes(compress(content))
    return path


@pytest.fixture
def read(tmp_path):
    """Lines after the header -> (pairs, report)."""

    def read_lines(*lines, name="quora.tsv", end="\n"):
        report = question_pairs.ReadingReport()
        path = write(tmp_path / name, *lines, end=end)
        return question_pairs.read_pairs(path, report), report

    return read_lines


def good(number, question1="How old are you?", question2="What is your age?", same=1):
    return f"{number}\t{2 * number + 1}\t{2 * number + 2}\t{question1}\t{question2}\t{same}"


def questions(pairs):
    return list(zip(pairs.question1, pairs.question2, strict=True))


def numbers(pairs):
    """The numbers that ``good`` made the rows with."""
    return (pairs.qid1 // 2).tolist()


# --- rows that can be read ---


def test_a_row_has_its_ids_questions_and_label(read):
    pairs, report = read(good(0), good(1, same=0))
    assert questions(pairs) == [("How old are you?", "What is your age?")] * 2
    assert as_set(pairs) == [(1, 2, 1), (3, 4, 0)]
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
    pairs, report = read(good(0), row, good(2), "a broken row")
    expected = (question, "other?") if column == 1 else ("other?", question)
    assert questions(pairs)[1] == expected
    assert (len(pairs), report.rows) == (3, 3)
    assert [number for number, _ in report.malformed] == [5 + row.count("\n")]


def test_what_csv_writes_is_read_back(tmp_path):
    rng = np.random.default_rng(0)
    pieces = ['"', '""', "\n", "\r\n", "'", "&amp;", "a", "bc", " ", ",", "é", "😀", "?", "0", "7"]
    written = [
        tuple("Q" + "".join(rng.choice(pieces, rng.integers(0, 15))) for _ in range(2))
        for _ in range(400)
    ]
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, delimiter="\t", lineterminator="\n")
    writer.writerow(QUORA_COLUMNS)
    writer.writerows((n, 2 * n, 2 * n + 1, *pair, n % 2) for n, pair in enumerate(written))
    path = tmp_path / "quora.tsv"
    path.write_bytes(stream.getvalue().encode())
    report = question_pairs.ReadingReport()
    pairs = question_pairs.read_pairs(path, report)
    assert numbers(pairs) == list(range(400))
    assert questions(pairs) == [
        tuple(" ".join(html.unescape(question).split()) for question in pair) for pair in written
    ]
    assert (report.rows, report.malformed) == (400, [])


def test_empty_questions_are_kept_and_counted(read):
    pairs, report = read(good(0, ""), good(1), good(2, '""', " "), good(3, "ok?", "&nbsp;"))
    assert pairs.question1 == ["", "How old are you?", "", "ok?"]
    assert (report.rows, report.empty_questions, report.malformed) == (4, 3, [])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["quora.tsv", "quora.tsv.gz", "QUORA.TSV.GZ", "quora.tsv.xz"])
def test_line_ends_and_compression_make_no_difference(read, end, name):
    pairs, report = read(good(0), good(1, same=0), "", good(2), "broken", name=name, end=end)
    assert (numbers(pairs), pairs.same.tolist()) == ([0, 1, 2], [1, 0, 1])
    assert [number for number, _ in report.malformed] == [6]


def test_the_last_line_needs_no_end_and_a_wrong_byte_spoils_one_character(tmp_path):
    path = tmp_path / "quora.tsv"
    path.write_bytes(f"{HEADER}\n{good(0, 'na@ve?')}".encode().replace(b"@", b"\xef"))
    pairs = question_pairs.read_pairs(path)
    assert (pairs.question1, pairs.same.tolist()) == (["na\ufffdve?"], [1])


@pytest.mark.parametrize("header", [HEADER, HEADER.replace("id", '"id"', 1), HEADER + "\r"])
def test_headers_that_are_quoras(tmp_path, header):
    path = write(tmp_path / "quora.tsv", good(0), header=header)
    assert len(question_pairs.read_pairs(path)) == 1


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
    pairs, report = read(good(0), BROKEN[kind], good(2))
    assert numbers(pairs) == [0, 2]
    assert report.malformed == [(3, reason)]
    assert str(report) == (
        f"2 rows, 0 with an empty question, 1 malformed and left out: line 3 ({reason})"
    )


@pytest.mark.parametrize("second", BROKEN)
@pytest.mark.parametrize("first", BROKEN)
def test_broken_rows_swallow_neither_good_rows_nor_each_other(read, first, second):
    lines = [good(0), BROKEN[first], good(2), BROKEN[first], BROKEN[second], good(5, "a\nb?")]
    pairs, report = read(*lines, BROKEN[second])
    assert numbers(pairs) == [0, 2, 5]
    assert [number for number, _ in report.malformed] == [3, 5, 6, 9]
    assert report.rows == 3


def test_an_open_quote_ends_with_the_next_row_or_after_twenty_lines(read):
    prose = [f"line {n}" for n in range(50)]
    pairs, report = read(good(0), good(1, '"' + "\n".join(prose[:5])), good(2, '"quoted ""here"""'))
    assert numbers(pairs) == [0, 2]
    assert [number for number, _ in report.malformed] == [3]
    pairs, report = read(good(0), good(1, '"' + "\n".join(prose)), good(2))
    assert numbers(pairs) == [0, 2]
    assert report.malformed[0] == (3, "4 columns instead of 6")


@pytest.mark.parametrize("quote", ['"', ""])
@pytest.mark.parametrize(("breaks", "rows_read"), [(19, 3), (40, 2)])
def test_twenty_lines_are_the_longest_question(read, quote, breaks, rows_read):
    question = quote + "x\n" * breaks + "y" + quote
    pairs, report = read(good(0), good(1, question), good(2))
    assert len(pairs) == rows_read
    assert bool(report.malformed) == (rows_read == 2)
    assert numbers(pairs)[-1] == 2


def test_stray_text_between_rows_is_reported(read):
    pairs, report = read(good(0), "stray", good(2), "", "   ", "stray\tagain", good(7))
    assert numbers(pairs) == [0, 2, 7]
    assert [number for number, _ in report.malformed] == [3, 7]


def test_a_long_report_names_five_lines(read):
    _, report = read(*[BROKEN["label"]] * 7, good(7))
    text = str(report)
    assert text.startswith("1 rows, 0 with an empty question, 7 malformed and left out: line 2 (")
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
    pairs, report = read(*lines)
    assert numbers(pairs) == ids
    assert [number for number, _ in report.malformed] == broken
    assert report.rows + len(report.malformed) == 2000


# --- files that cannot be read ---


@pytest.mark.parametrize(
    "header",
    [
        "",
        "<html>Log in</html>",
        HEADER.replace("\t", ","),
        HEADER.replace("question2", "question3"),
        HEADER.removesuffix("\tis_duplicate"),
        good(0),
        "x" * 200_000,
        '"' + "x" * 200_000,
    ],
    ids=["blank", "web page", "commas", "another", "fewer", "none", "endless", "quote"],
)
def test_another_header_is_refused(tmp_path, header):
    path = write(tmp_path / "quora.tsv", good(0), header=header)
    with pytest.raises(DataError, match=r"quora\.tsv begins with .*expected the columns") as error:
        question_pairs.read_pairs(path)
    assert len(str(error.value)) < 1000


def test_a_file_without_a_pair_is_refused(tmp_path):
    empty = tmp_path / "empty.tsv"
    empty.touch()
    with pytest.raises(DataError, match=r"empty\.tsv begins with ''"):
        question_pairs.read_pairs(empty)
    for lines in ([], [""], [BROKEN["label"]]):
        path = write(tmp_path / "none.tsv", *lines)
        with pytest.raises(DataError, match=r"none\.tsv holds no question pair"):
            question_pairs.read_pairs(path)


def test_a_damaged_gzip_file_is_named_wherever_the_damage_is(tmp_path):
    path = write(tmp_path / "quora.tsv.gz", *(good(n, f"{n * 7919}?") for n in range(3000)))
    whole = path.read_bytes()
    causes = set()
    for place in range(2, 10):
        path.write_bytes(whole[: len(whole) * place // 10])
        with pytest.raises(
            DataError, match=r"quora\.tsv\.gz cannot be read.*or fetch it again"
        ) as at:
            question_pairs.read_pairs(path)
        causes.add(type(at.value.__cause__))
    for place in range(20, len(whole) - 8, len(whole) // 20):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0xFF]) + whole[place + 1 :])
        with pytest.raises(DataError, match=r"cannot be read|begins with") as at:
            question_pairs.read_pairs(path)
        causes.add(type(at.value.__cause__))
    assert causes >= {EOFError, gzip.BadGzipFile, zlib.error}


def test_what_is_no_file_or_no_gzip_is_named(tmp_path):
    plain = tmp_path / "quora.tsv.gz"
    plain.write_text(HEADER)
    for path in (plain, tmp_path / "missing.tsv", tmp_path):
        with pytest.raises(DataError, match=f"{path.name} cannot be read"):
            question_pairs.read_pairs(path)


# --- pairs ---


def test_columns_of_pairs(tmp_path):
    path = write(tmp_path / "quora.tsv", good(0), BROKEN["label"], good(2, "é &amp; 2?", same=0))
    report = question_pairs.ReadingReport()
    pairs = question_pairs.read_pairs(path, report)
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
    assert question_pairs.normal_form(question) == question_pairs.normal_form(same_question)


@pytest.mark.parametrize(
    ("question", "other"),
    [("Is it 10?", "Is it 11?"), ("A or B?", "B or A?"), ("Is it?", "It is?"), ("na", "nа")],
)
def test_the_normal_form_is_another(question, other):
    assert question_pairs.normal_form(question) != question_pairs.normal_form(other)


@pytest.mark.real_data
def test_real_rows_are_all_read(real_data):
    path, _ = quora.locate("quora", quora.FILE)
    report = question_pairs.ReadingReport()
    pairs = question_pairs.read_pairs(path, report)
    assert len(pairs) == report.rows
    assert len(pairs) in (73_463, 404_290)  # the subset that the course is tested with, or all
    assert report.malformed == []
    assert all("\n" not in question and "&amp;" not in question for question in texts(pairs))
    assert sorted(set(pairs.same.tolist())) == [0, 1]


# --- files of one's own: other columns, no ids ---

OWN = "question1\tquestion2\tis_duplicate"


@pytest.fixture
def read_own(tmp_path):
    """Lines, the header first -> (pairs, report)."""

    def read_lines(*lines, **options):
        report = question_pairs.ReadingReport()
        path = tmp_path / "own.tsv"
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        return question_pairs.read_pairs(path, report, **options), report

    return read_lines


@pytest.mark.parametrize("header", [OWN, OWN.replace("question1", "\ufeffquestion1")])
def test_an_open_quote_swallows_no_rows(read_own, header):
    """The published defect: of five such rows two pairs were read, and nothing was reported."""
    rows = [f'"Is this {n} open\tIs it {n}?\t{n % 2}' for n in range(5)]
    good_rows = ["Is it closed?\tIs this closed?\t1", "One?\tTwo?\t0"]
    pairs, report = read_own(header, *rows, *good_rows)
    assert pairs.question1 == ["Is it closed?", "One?"]
    assert [line for line, _ in report.malformed] == [2, 3, 4, 5, 6]
    assert all("a quote that is never closed" in why for _, why in report.malformed)
    assert "5 malformed and left out: line 2 (a quote that is never closed" in str(report)


def test_every_row_is_read_or_reported(read_own):
    """Random rows of every kind: what is read and what is reported adds up to the lines."""
    rng = np.random.default_rng(2)
    kinds = {
        "plain": "a{0}?\tb{0}?\t1",
        "quoted": '"""a{0}"" ?"\tb{0}?\t0',
        "open": '"a{0}?\tb{0}?\t1',
        "inside": 'a "{0}?\tb{0}" ?\t0',
        "label": "a{0}?\tb{0}?\tyes",
        "wide": "a{0}?\tb{0}?\t1\tmore",
        "trailing tab": "a{0}?\tb{0}?\t1\t",
        "empty": "\tb{0}?\t0",
    }
    bad = {"open", "label", "wide"}
    chosen = rng.choice(sorted(kinds), 500).tolist()
    pairs, report = read_own(OWN, *(kinds[kind].format(n) for n, kind in enumerate(chosen)))
    assert [line for line, _ in report.malformed] == [
        n + 2 for n, kind in enumerate(chosen) if kind in bad
    ]
    assert pairs.question2 == [
        f'b{n}" ?' if kind == "inside" else f"b{n}?"
        for n, kind in enumerate(chosen)
        if kind not in bad
    ]
    assert report.rows + len(report.malformed) == 500
    assert report.empty_questions == chosen.count("empty")


def test_columns_in_any_order_beside_others(read_own):
    pairs, report = read_own(
        "id\tquestion2\tis_duplicate\tquestion1",
        "9\tWho  are\xa0you?\t1\tHow&#39;s that?",
        'x\t"A ""quoted"" one"\t 0 \tNA',
        "7\tكيف؟\t0\t",
    )
    assert pairs.question1 == ["How's that?", "NA", ""]  # NA is a question, not a missing value
    assert pairs.question2 == ["Who are you?", 'A "quoted" one', "كيف؟"]
    assert pairs.same.tolist() == [1, 0, 0]
    assert pairs.same.dtype == np.int8
    assert len({*pairs.qid1.tolist(), *pairs.qid2.tolist()}) == 6
    assert report.malformed == []


@pytest.mark.parametrize(
    ("header", "row"),
    [
        ("qid1\tqid2\tquestion1\tquestion2\tis_duplicate", "7\t3\ta\tb\t1"),
        ("question1\tquestion2\tis_duplicate\tqid2\tqid1", "a\tb\t1\t3\t7"),
        (HEADER.replace("qid1\tqid2", "qid2\tqid1"), "0\t3\t7\ta\tb\t1"),
        (HEADER + "\textra", "0\t7\t3\ta\tb\t1\tx"),
        ("Question1\tQUESTION2 \tis_duplicate\tqid1\tqid2", "a\tb\t1\t7\t3"),
    ],
)
def test_ids_are_used_if_both_are_there(read_own, header, row):
    pairs, _ = read_own(header, row)
    assert (pairs.question1, pairs.question2, pairs.same.tolist()) == (["a"], ["b"], [1])
    assert (pairs.qid1.tolist(), pairs.qid2.tolist()) == ([7], [3])


def test_a_bad_id_is_reported_only_if_ids_are_used(read_own):
    header = "qid1\tqid2\tquestion1\tquestion2\tis_duplicate"
    _, report = read_own(header, "1\t2\ta\tb\t1", "x\t3\ta\tb\t1")
    assert report.malformed == [(3, "the ids are ['x', '3']")]
    pairs, report = read_own(header.replace("qid2", "other"), "x\ty\ta\tb\t1")
    assert (len(pairs), report.malformed) == (1, [])


def test_questions_without_ids_are_numbered_by_normal_form(read_own):
    pairs, _ = read_own(
        OWN,
        "What is AI?\tWhat's AI?\t1",
        "what is ai\tWho am I?\t0",
        "?!\t...\t0",
        "\tWhat is A.I.?\t0",
        "?!\t\t1",
    )
    first, second = pairs.qid1.tolist(), pairs.qid2.tolist()
    assert (pairs.qid1.dtype, pairs.qid2.dtype) == ("int64", "int64")
    assert first[0] == first[1] == second[3]
    assert first[2] == first[4]
    assert first[3] == second[4]
    assert len({*first, *second}) == 6  # and no two others are one


def test_a_split_of_a_file_without_ids_leaks_nothing(read_own):
    """The published defect: each occurrence had its own number, and 400 of 400 pairs leaked."""
    rng = np.random.default_rng(0)
    rows = []
    for group in range(150):
        for _ in range(4):
            a, b = rng.choice(6, 2, replace=False)
            left = f"Question {a} of group {group}?"
            right = f"question {b} OF group {group}"
            rows.append(f"{left}\t{right}\t{rng.integers(2)}")
    pairs, _ = read_own(OWN, *rows)
    train, test = question_splits.split_pairs(pairs, (0.8, 0.2))
    assert len(train) + len(test) == 600
    known = {question_pairs.normal_form(question) for question in texts(train)}
    assert known.isdisjoint(map(question_pairs.normal_form, texts(test)))
    assert len(test) == pytest.approx(120, abs=5)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "begins with ''"),
        ([OWN.replace("\t", ","), "a,b,1"], "Missing: question1, question2, is_duplicate"),
        (["question1\tquestion2\tsame", "a\tb\t1"], "Missing: is_duplicate"),
        ([OWN], "holds no question pair"),
        ([OWN, "a\tb\tyes"], r"holds no question pair .*line 2 \(is_duplicate is 'yes'\)"),
        ([OWN, "a\tb\t1.0"], r"line 2 \(is_duplicate is '1.0'\)"),
        ([OWN, "a\tb"], r"line 2 \(2 columns instead of 3\)"),
    ],
)
def test_what_is_wrong_with_a_whole_file_is_named(read_own, tmp_path, lines, message):
    with pytest.raises(DataError, match=message) as raised:
        read_own(*lines)
    assert str(tmp_path / "own.tsv") in str(raised.value)


def test_rows_with_a_tab_too_many_are_not_shifted(read_own):
    pairs, report = read_own(OWN, "a\tb\t1\t", "c\td\t0\t \t")
    assert (pairs.question1, pairs.question2) == (["a", "c"], ["b", "d"])
    assert report.malformed == []


def test_a_binary_file_is_refused(tmp_path):
    path = tmp_path / "binary.tsv"
    path.write_bytes(bytes(range(128, 256)))
    with pytest.raises(DataError, match=r"begins with .*expected the columns"):
        question_pairs.read_pairs(path)

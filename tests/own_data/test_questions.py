"""Question pairs of one's own: what cannot be read is named."""

import numpy as np
import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError
from siamese_course.sources.question_pairs import QuestionPairs, number_questions

TABS = "question1\tquestion2\tis_duplicate\n"


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
        ("q.tsv", TABS + "a\tb\tyes\n", "is_duplicate is 'yes'"),
        (
            "q.tsv",
            TABS + "a\tb\t1\nc\td\t1\n",
            "holds 2 pairs, 2 of them duplicates; expected both",
        ),
        ("q.tsv", TABS + "a\tb\t0\n", "holds 1 pairs, 0 of them duplicates; expected both"),
        ("q.tsv", TABS + "a\tb\t0\nc\td\n", r"other pairs \(1 rows.* line 3 \(2 columns"),
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


def test_ids_in_the_file_are_not_used(tmp_path):
    """Every row has ids of its own, although the texts are the same."""
    lines = ["id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"]
    lines += [f"{n}\t{2 * n}\t{2 * n + 1}\tone?\tanother {n}?\t{n % 2}" for n in range(4)]
    (tmp_path / "q.tsv").write_text("\n".join(lines))
    pairs = own_data.read_question_pairs(tmp_path / "q.tsv")
    assert len(set(pairs.qid1)) == 1
    assert len(set(pairs.qid2)) == 4


def test_pairs_with_an_empty_question_are_left_out_and_reported(tmp_path, capsys):
    (tmp_path / "q.tsv").write_text(TABS + "a\tb\t1\nc\t \t1\nd\te\t0\n")
    assert own_data.read_question_pairs(tmp_path / "q.tsv").question1 == ["a", "d"]
    assert "1 with an empty question" in capsys.readouterr().out


def test_another_encoding_is_refused(tmp_path):
    (tmp_path / "q.tsv").write_bytes((TABS + "Wo ist das Café?\tWo?\t1\n").encode("cp1252"))
    with pytest.raises(DataError, match="UTF-8"):
        own_data.read_question_pairs(tmp_path / "q.tsv")


def test_no_split_leaves_training_without_duplicates():
    """Of two groups of duplicates, one would be in validation and one in test."""
    left = [f"duplicate {n // 10}" for n in range(20)] + [f"other {n}" for n in range(20)]
    right = [f"right {n}" for n in range(40)]
    pairs = QuestionPairs(left, right, np.repeat([1, 0], 20), *number_questions(left, right))
    with pytest.raises(DataError, match="no split of 40 pairs has duplicates and others for train"):
        own_data.split_question_pairs(pairs, "pairs")


@pytest.mark.parametrize("questions", [30, 400, 100_000])
def test_no_question_is_in_two_splits_and_pairs_that_stand_alone_are_kept(questions, capsys):
    rng = np.random.default_rng(questions)
    ids = rng.integers(0, questions, (500, 2))
    ids[:, 1] += ids[:, 0] == ids[:, 1]
    texts = [[f"question {n}" for n in column] for column in ids.T]
    pairs = QuestionPairs(*texts, (rng.random(500) < 0.3).astype("int8"), *ids.T)
    try:
        data = own_data.split_question_pairs(pairs, "pairs")
    except DataError:
        assert questions == 30  # duplicates join nearly all
        return
    splits = data.train, data.validation, data.test
    found = [set(split.question1) | set(split.question2) for split in splits]
    assert not (found[0] & found[1] or found[0] & found[2] or found[1] & found[2])
    if questions == 100_000:
        assert [len(split) for split in splits] == pytest.approx([400, 50, 50], abs=15)

"""Question pairs of one's own: what cannot be read is named."""

import pytest

from siamese_course import own_data
from siamese_course.runtime.errors import DataError

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

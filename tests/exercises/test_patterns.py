"""What shapes and values have in common with the expected ones."""

import numpy as np
import pytest
from keras import ops

from siamese_course.exercises import patterns
from siamese_course.exercises.cases import Known, reworded
from siamese_course.exercises.engine import Exercise, Part, Wrong, compare

RNG = np.random.default_rng(0)
CASES = [(RNG.uniform(0.5, 2, (n, 3)),) for n in (3, 5, 7)]


def row_sums(rows):
    return rows.sum(axis=1)


def scores(rows):
    return rows @ rows[::-1].T


@pytest.mark.parametrize(
    ("got", "expected", "tag", "words"),
    [
        ((), (1,), "squeezed", "length 1 is gone"),
        ((4, 3), (4, 1, 3), "squeezed", "length 1 is gone"),
        ((), (6,), "all_axes", "`axis=`"),
        ((6, 3), (6,), "axis_left", "Axis 1, of length 3, should be gone: is a sum or mean"),
        (
            (6, 1),
            (6,),
            "axis_left",
            "Axis 1, of length 1, should be gone: does `keepdims` keep it?",
        ),
        ((6, 2, 3), (6, 3), "axis_left", "Axis 1, of length 2"),
        ((6,), (6, 3), "axis_gone", "The axis of length 3 is gone"),
        ((3, 6, 2), (2, 3, 6), "axis_order", "another order"),
    ],
)
def test_shapes_in_which_one_axis_differs(got, expected, tag, words):
    sentence, found = patterns.of_shape(got, expected)
    assert found == tag
    assert words in sentence


@pytest.mark.parametrize(
    ("got", "expected"), [((2,), (2,)), ((5, 4), (6, 4)), ((9,), (10,)), ((2, 3), (4, 5))]
)
def test_other_shapes_have_none(got, expected):
    assert patterns.of_shape(got, expected) is None


@pytest.mark.parametrize(
    ("answer", "tag", "words"),
    [
        (lambda rows: -row_sums(rows), "sign", "wrong sign"),
        (lambda rows: row_sums(rows) ** 2, "squared", "the square of"),
        (lambda rows: row_sums(rows) ** 0.5, "root", "the square root of"),
        (lambda rows: 1 / row_sums(rows), "reciprocal", "1 divided by"),
        (lambda rows: np.log(row_sums(rows)), "logarithm", "logarithm"),
        (lambda rows: np.exp(row_sums(rows)), "exponential", "exponential"),
        (lambda rows: 1 - row_sums(rows), "one_minus", "1 minus"),
        (lambda rows: row_sums(rows) * 1.5, "factor", "Every value is 1.5 times"),
        (lambda rows: row_sums(rows) - 0.25, "offset", "too small by 0.25"),
        (lambda rows: row_sums(rows) + 0.25, "offset", "too large by 0.25"),
        (lambda rows: row_sums(rows) * 0.9 - 0.2, "line", "0.9 times the expected one - 0.2"),
        (lambda rows: row_sums(rows)[::-1], "reversed", "reverse order"),
        (lambda rows: np.full(len(rows), 2.0), "constant", "Every value is 2 in all cases"),
        (lambda rows: row_sums(rows).astype("float16"), "digits", "two or three digits"),
        (lambda rows: np.round(row_sums(rows), 2), "digits", "two or three digits"),
    ],
)
def test_a_rule_that_explains_all_values_is_named(answer, tag, words):
    with pytest.raises(Wrong, match="A value is off: ") as caught:
        compare(answer, row_sums, CASES)
    assert caught.value.tag == tag
    assert words in str(caught.value)


def test_a_small_error_is_no_factor():
    with pytest.raises(Wrong, match="two or three digits"):
        compare(lambda rows: row_sums(rows) * 1.000_01, row_sums, CASES, rtol=1e-6, atol=1e-6)


def test_a_factor_is_found_where_the_first_value_is_zero():
    cases = [(np.array([[-1.0, 1.0], [1.0, 2.0]]),), (np.array([[3.0, 1.0]]),)]
    with pytest.raises(Wrong, match=r"Every value is 2\.5 times"):
        compare(lambda rows: row_sums(rows) * 2.5, row_sums, cases)


def test_exchanged_rows_and_columns_are_named():
    with pytest.raises(Wrong, match="Rows and columns") as caught:
        compare(lambda rows: scores(rows).T, scores, CASES)
    assert caught.value.tag == "transposed"


@pytest.mark.parametrize(
    "answer",
    [
        lambda rows: row_sums(rows) * (1.5 if len(rows) > 4 else 2),  # one factor in no two cases
        lambda rows: rows.max(axis=1),
        lambda rows: row_sums(rows) * 0.9 + 0.2 * len(rows),
    ],
)
def test_no_rule_is_named_that_does_not_explain_all_values(answer):
    with pytest.raises(Wrong) as caught:
        compare(answer, row_sums, CASES)
    assert caught.value.tag == "value"


def test_one_case_is_explained_by_no_rule():
    with pytest.raises(Wrong) as caught:
        compare(lambda rows: -row_sums(rows), row_sums, CASES[:1])
    assert caught.value.tag == "value"


def test_cases_that_are_right_are_counted():
    with pytest.raises(Wrong, match=r"\(7, 3\)\. 2 of 3 cases are right\.") as caught:
        compare(lambda rows: row_sums(rows) + (len(rows) == 7), row_sums, CASES)
    assert caught.value.tag == "value"


def test_a_wrong_default_is_named():
    def scaled(rows, scale=2.0):
        return scale * row_sums(rows)

    cases = [(*case, scale) for case in CASES for scale in (1.0, 3.0)] + CASES[:1]
    with pytest.raises(Wrong, match="only where `scale` is left out") as caught:
        compare(lambda rows, scale=2.5: scaled(rows, scale), scaled, cases)
    assert caught.value.tag == "default"


@pytest.mark.parametrize("shape", [(1, 3), (4, 1)])
def test_an_answer_that_one_row_or_column_breaks(shape):
    def spread(rows):
        return (rows - rows.mean(axis=0)).sum(axis=1) + rows.shape[1]

    def breaks(rows):
        return spread(rows) + (1 in rows.shape)

    with pytest.raises(Wrong, match="only where there is one row or one column") as caught:
        compare(breaks, spread, CASES, edges=[(RNG.uniform(size=shape),)])
    assert caught.value.tag == "one_row"


def test_a_case_with_one_row_among_others_explains_nothing():
    cases = [*CASES, (RNG.uniform(size=(1, 3)),)]
    with pytest.raises(Wrong) as caught:
        compare(lambda rows: row_sums(rows) + (len(rows) < 5), row_sums, cases)
    assert caught.value.tag == "value"


def test_an_error_for_one_row_says_so():
    with pytest.raises(
        Wrong, match=r"`TypeError`.*only where there is one row or one column"
    ) as caught:
        compare(
            lambda rows: [sum(row) for row in np.squeeze(rows)],
            row_sums,
            CASES,
            edges=[(np.ones((1, 3)),)],
        )
    assert caught.value.tag == "one_row"


def test_an_error_for_every_case_is_left_alone():
    with pytest.raises(ZeroDivisionError):
        compare(lambda rows: 1 / 0, row_sums, [(np.ones((1, 3)),), *CASES])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda rows: row_sums(rows) / (np.arange(len(rows)) > 0),
            r"infinity: 1 of 3 values, the first at \[0\], for `rows` of shape \(3, 3\)\. Is something divided",
        ),
        (lambda rows: np.nan, r"contains NaN or infinity, for `rows` of shape \(3, 3\)"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_what_is_not_finite_has_a_place(answer, words):
    with pytest.raises(Wrong, match=words) as caught:
        compare(answer, row_sums, CASES)
    assert caught.value.tag == "not_finite"


@pytest.mark.parametrize(
    ("answer", "tag"),
    [
        (lambda rows: np.sum(rows)[0], "scalar"),
        (lambda rows: rows[: len(rows) / 2], "float_index"),
        (lambda rows: rows.tolist()[:, 0], "list_index"),
        (lambda rows: ops.cast("float32", ops.convert_to_tensor(rows)), "unhashable"),
        (lambda rows: np.take(rows, 0, axis=5), "error"),
    ],
)
def test_errors_that_say_too_little_are_explained(answer, tag):
    part = Part(1, lambda given: compare(given, row_sums, CASES))
    exercise = Exercise("01.x", "X", [part], ("a", "b", "c"), [row_sums])
    assert exercise.check(answer).tags == [tag]


def test_our_words_for_an_error_are_not_used_for_one_row():
    def answer(rows):
        raise ValueError("could not broadcast")

    worded = reworded(answer, Known(("broadcast",), "Keep the axis.", "shapes"))
    with pytest.raises(Wrong, match="Keep the axis"):
        worded(np.ones((2, 3)))
    with pytest.raises(ValueError, match="broadcast"):
        worded(np.ones((1, 3)))


def test_a_missing_argument_is_told_in_pythons_words():
    def answer(rows):
        return (lambda left, right: left)(rows)

    worded = reworded(answer, Known(("argument",), "Transpose the collection.", "not_transposed"))
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        worded(np.ones((2, 3)))

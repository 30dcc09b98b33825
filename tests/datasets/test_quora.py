"""Quora's three splits and loading them: no test question anywhere else."""

import gzip
import itertools
from dataclasses import replace

import numpy as np
import pytest

from siamese_course.datasets import question_splits, quora
from siamese_course.runtime.errors import DataError, NetworkError
from siamese_course.sources import question_pairs
from tests.made_up import as_set, pairs_of, texts

HEADER = "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate"


def write(path, *lines, end="\n", header=HEADER):
    content = "".join(line + end for line in (header, *lines)).encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def good(number, question1="How old are you?", question2="What is your age?", same=1):
    return f"{number}\t{2 * number + 1}\t{2 * number + 2}\t{question1}\t{question2}\t{same}"


# --- splits ---


def clusters(rng, count=2500, questions_each=4, pairs_each=4):
    """Random pairs inside little clusters of questions, shuffled."""
    cluster = np.repeat(np.arange(count), rng.integers(1, pairs_each + 1, count))
    links = cluster[:, None] * questions_each + rng.integers(0, questions_each, (len(cluster), 2))
    return pairs_of(rng.permutation(links), rng.integers(0, 2, len(links)))


# --- the three splits ---


def many_pairs(seed=0):
    return clusters(np.random.default_rng(seed), 1500)


def forms(*splits):
    return set(map(question_pairs.normal_form, texts(*splits)))


def pair_forms(question1, question2):
    return {
        frozenset(map(question_pairs.normal_form, pair))
        for pair in zip(question1, question2, strict=True)
    }


def test_no_test_question_is_anywhere_else():
    pairs = many_pairs()
    extra = [(f"QUESTION {n}", f"question-{n + 1} ?") for n in range(0, 6000, 3)]
    data = quora.split_quora(pairs, extra, "made up")
    assert not forms(data.test) & forms(data.train, data.validation)
    found = {question for pair in data.extra_duplicates for question in pair}
    assert not forms(data.test) & set(map(question_pairs.normal_form, found))
    known = pair_forms(data.validation.question1, data.validation.question2)
    assert known
    assert not known & pair_forms(*zip(*data.extra_duplicates, strict=True))
    assert set(data.extra_duplicates) < set(extra)
    assert data.source == "made up"


def test_splits_have_their_sizes_and_fractions():
    pairs = many_pairs()
    data = quora.split_quora(pairs)
    assert len(data.train) / len(pairs) == pytest.approx(0.94 * 0.93, abs=0.02)
    for split in (data.validation, data.test):
        assert split.same.mean() == pytest.approx(question_splits.DUPLICATE_FRACTION, abs=0.01)
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
    _, test = question_splits.split_pairs(pairs, (1 - quora.TEST_FRACTION, quora.TEST_FRACTION), 0)
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
    twice = question_pairs.QuestionPairs(
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
    trained, validated = (
        {frozenset(question.lower().removesuffix(" ?") for question in pair) for pair in both}
        for both in (
            zip(split.question1, split.question2, strict=True)
            for split in (data.train, data.validation)
        )
    )
    assert validated
    assert trained.isdisjoint(validated)


def test_the_three_splits_follow_the_seed():
    pairs = many_pairs()
    splits = [
        [as_set(split) for split in (data.train, data.validation, data.test)]
        for data in (quora.split_quora(pairs, seed=seed) for seed in (1, 1, 2))
    ]
    assert splits[0] == splits[1]
    assert splits[0] != splits[2]


# --- loading ---


@pytest.fixture
def small_folder(tmp_path, monkeypatch):
    """A data directory with 3,000 pairs, a broken row, and extra duplicates."""
    folder = tmp_path / "quora"
    folder.mkdir()
    lines = [good(n, f"one {n}?", f"other {n}?", int(n % 5 > 0)) for n in range(3000)]
    write(folder / quora.FILE, *lines, good(1, same=2))
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
    assert not forms(data.test) & set(
        map(question_pairs.normal_form, np.ravel(data.extra_duplicates))
    )


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
    for split, complete in ((few.validation, whole.validation), (few.test, whole.test)):
        pairs = set(zip(split.question1, split.question2, strict=True))
        assert len(pairs) == len(split) == 500
        assert pairs <= set(zip(complete.question1, complete.question2, strict=True))
        assert split.same.mean() == pytest.approx(complete.same.mean(), abs=0.05)
    assert len(quora.load_questions(scored=10**6, verbose=False).test) == len(whole.test)


def test_without_a_network_the_reason_is_said(no_data_directory, monkeypatch, capsys):
    def no_network(name, filename):
        raise NetworkError("could not connect")

    monkeypatch.setattr(quora, "locate", no_network)
    data = quora.load_questions()
    assert data.source == "the course's own questions"
    assert "Quora's data is not available: could not connect" in capsys.readouterr().out
    quora.load_questions(verbose=False)
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.real_data
def test_real_questions_leak_nothing(real_data, capsys):
    data = quora.load_questions()
    assert "(Quora, SIAMESE_COURSE_DATA)" in capsys.readouterr().out
    for split in (data.validation, data.test):
        assert len(split) > 900
        assert split.same.mean() == pytest.approx(question_splits.DUPLICATE_FRACTION, abs=0.001)
    held_out = forms(data.test)
    assert not held_out & forms(data.train, data.validation)
    assert all(
        held_out.isdisjoint(map(question_pairs.normal_form, pair)) for pair in data.extra_duplicates
    )
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

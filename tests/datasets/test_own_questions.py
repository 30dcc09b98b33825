"""The course's own questions: the set itself, and the pairs made of it."""

import itertools
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import SPLITS, own_questions
from siamese_course.runtime.shipped import shipped as shipped_folder

FOLDER = Path(__file__).resolve().parents[2] / "data" / "questions"


@pytest.fixture(scope="module")
def own():
    return own_questions.own_pairs()


# --- the set ---


def test_the_set_is_read_as_it_stands_in_the_files():
    lines = (FOLDER / "questions.tsv").read_text("utf-8").splitlines()
    read = own_questions.read_questions()
    assert read == own_questions.read_questions(FOLDER)
    assert ["\t".join(vars(question).values()) for question in read] == lines[1:]
    near_lines = (FOLDER / "near_misses.tsv").read_text("utf-8").splitlines()
    assert ["\t".join(pair) for pair in own_questions.read_near_misses()] == near_lines[1:]
    assert len({question.group for question in read}) > 300


def test_a_quotation_mark_is_a_character_like_others(tmp_path):
    row = 'train\tt\tf\tg\t"What" is "this?'
    (tmp_path / "questions.tsv").write_text(f"split\ttopic\tfamily\tgroup\tquestion\n{row}\n")
    (tmp_path / "near_misses.tsv").write_text('question1\tquestion2\n"a\tb"\n')
    assert own_questions.read_questions(tmp_path)[0].text == '"What" is "this?'
    assert own_questions.read_near_misses(tmp_path) == [('"a', 'b"')]


def test_data_that_does_not_ship_is_named():
    assert (shipped_folder("questions") / "questions.tsv").is_file()
    with pytest.raises(
        FileNotFoundError, match=r"'nothing', which ships.*Install the course again"
    ):
        shipped_folder("nothing")


# --- its pairs ---


def test_additional_pairs_are_those_of_the_groups_and_the_near_misses():
    questions = own_questions.read_questions(more=True)
    assert {question.split for question in questions} == {"train"}
    expected = {}
    for start in range(0, len(questions), 7):  # a group is seven lines
        texts = [question.text for question in questions[start : start + 7]]
        assert len({question.group for question in questions[start : start + 7]}) == 1
        expected |= {frozenset((a, b)): 1 for a in texts for b in texts if a != b}
    misses = own_questions.read_near_misses(more=True)
    assert not expected.keys() & {frozenset(pair) for pair in misses}
    expected |= {frozenset(pair): 0 for pair in misses}
    pairs = own_questions.more_pairs()
    both = zip(pairs.question1, pairs.question2, pairs.same.tolist(), strict=True)
    found = {frozenset((left, right)): same for left, right, same in both}
    assert found == expected
    assert len(pairs) == len(expected)
    assert [questions[n].text for n in pairs.qid1] == pairs.question1
    assert [questions[n].text for n in pairs.qid2] == pairs.question2


def test_duplicates_are_all_pairs_inside_the_groups(own):
    for split, pairs in zip(SPLITS, own, strict=True):
        members = {}
        for question in own_questions.read_questions():
            if question.split == split:
                members.setdefault((question.family, question.group), []).append(question.text)
        expected = set()
        for texts in members.values():
            for left in texts:
                for right in texts:
                    if left < right:
                        expected.add((left, right))
        duplicates = pairs.duplicates()
        found = [
            tuple(sorted(pair))
            for pair in zip(duplicates.question1, duplicates.question2, strict=True)
        ]
        assert len(found) == len(set(found))
        assert set(found) == expected


def test_differences_are_every_near_miss_and_pairs_of_two_groups(own):
    place = {question.text: question for question in own_questions.read_questions()}
    near_misses = {frozenset(pair) for pair in own_questions.read_near_misses()}
    seen = set()
    for split, pairs in zip(SPLITS, own, strict=True):
        others = pairs.take(pairs.same == 0)
        for left, right in zip(others.question1, others.question2, strict=True):
            assert place[left].split == place[right].split == split
            assert (place[left].family, place[left].group) != (
                place[right].family,
                place[right].group,
            )
            assert frozenset((left, right)) not in seen
            seen.add(frozenset((left, right)))
    assert near_misses < seen


def test_splits_share_no_question_and_have_the_share(own):
    for pairs in own:
        assert pairs.same.mean() == pytest.approx(0.37, abs=0.001)
        assert (pairs.same.dtype, pairs.qid1.dtype, pairs.qid2.dtype) == ("int8", "int64", "int64")
    read = own_questions.read_questions()
    for pairs in own:
        for number, text in [
            *zip(pairs.qid1, pairs.question1, strict=True),
            *zip(pairs.qid2, pairs.question2, strict=True),
        ]:
            assert read[number].text == text
    used = [{*pairs.question1, *pairs.question2} for pairs in own]
    for one, other in itertools.combinations(used, 2):
        assert not one & other
    assert sum(map(len, used)) == len(read)


def test_pairs_follow_the_seed(own):
    again, other = own_questions.own_pairs(), own_questions.own_pairs(seed=1)
    for one, same, different in zip(own, again, other, strict=True):
        assert one.question1 == same.question1
        assert one.question2 == same.question2
        assert np.array_equal(one.same, same.same)
        assert one.question2 != different.question2
        assert one.duplicates().question2 == different.duplicates().question2


def test_too_few_questions_do_not_draw_for_ever(tmp_path):
    rows = [f"train\ttopic\tfamily\tgroup\tquestion {n}" for n in range(3)]
    (tmp_path / "questions.tsv").write_text("\n".join(["header", *rows]))
    (tmp_path / "near_misses.tsv").write_text("header\n")
    with pytest.raises(ValueError, match="different pairs; the train questions make 0"):
        own_questions.own_pairs(folder=tmp_path)

"""The check of the course's own questions, on the set and on damaged copies."""

import importlib.util
import itertools
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import SPLITS, own_questions

FOLDER = Path(__file__).resolve().parents[2] / "data" / "questions"


TOOL = FOLDER.parents[1] / "tools" / "check_questions.py"


def load_script():
    spec = importlib.util.spec_from_file_location("check_questions", TOOL)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


script = load_script()


@pytest.fixture(scope="module")
def own():
    return own_questions.own_pairs()


@pytest.fixture(scope="module")
def checked():
    return script.check()


# --- the script, on the set ---


def test_the_set_has_no_fault(checked):
    faults, statistics = checked
    assert faults == []
    assert json.loads(json.dumps(statistics))


def test_figures_by_hand(checked, own):
    _, statistics = checked
    read = own_questions.read_questions()
    groups = Counter((question.family, question.group) for question in read)
    assert statistics["questions"] == len(read)
    assert statistics["groups"] == len(groups)
    assert statistics["families"] == len({question.family for question in read})
    assert statistics["topics"] == len({question.topic for question in read})
    assert statistics["near_misses"] == len(own_questions.read_near_misses())
    assert statistics["duplicate_pairs"] == sum(n * (n - 1) // 2 for n in groups.values())
    assert sum(statistics["group_sizes"].values()) == len(groups)
    assert sum(size * count for size, count in statistics["group_sizes"].items()) == len(read)
    for name in ("questions", "groups", "families", "near_misses"):
        assert sum(split[name] for split in statistics["splits"].values()) == statistics[name]
    for split, pairs in zip(SPLITS, own, strict=True):
        assert statistics["splits"][split]["pairs"] == len(pairs)
        assert statistics["splits"][split]["fraction_of_duplicates"] == round(pairs.same.mean(), 4)


def words(text):
    return re.findall("[a-z0-9]+", text.lower())


def test_overlaps_by_hand(checked):
    _, statistics = checked
    sums = {"near_misses": [], "duplicates": []}
    apart_groups, apart_pairs = set(), 0
    for left, right in own_questions.read_near_misses():
        union = set(words(left) + words(right))
        sums["near_misses"].append(
            sum(word in words(left) and word in words(right) for word in union) / len(union)
        )
    for one, other in itertools.combinations(own_questions.read_questions(), 2):
        if (one.family, one.group) == (other.family, other.group):
            left, right = words(one.text), words(other.text)
            union = set(left + right)
            sums["duplicates"].append(sum(w in left and w in right for w in union) / len(union))
            if not any(word in right and word not in script.STOP_WORDS for word in left):
                apart_pairs += 1
                apart_groups.add((one.family, one.group))
    for name, values in sums.items():
        assert statistics["overlap"][name] == pytest.approx(np.mean(values), abs=0.001)
    found = statistics["no_shared_content_word"]
    assert found["pairs"] == apart_pairs
    assert found["groups"] == len(apart_groups)
    assert found["fraction_of_pairs"] == round(apart_pairs / len(sums["duplicates"]), 3)


@pytest.mark.parametrize(
    ("pair", "apart"),
    [
        (("How old are you?", "What is your age?"), True),
        (("How old are you?", "What's your old age?"), False),
        (("Don't you?", "What isn't?"), True),
        (("", "What?"), True),
        (("Which CPU?", "the cpu's"), False),
    ],
)
def test_stop_words_are_no_shared_content(pair, apart):
    assert script._apart(pair) == apart


def test_the_card_has_the_scripts_figures(checked):
    _, statistics = checked
    card = (FOLDER / "README.md").read_text("utf-8")
    apart = statistics["no_shared_content_word"]
    for figure in (
        f"{statistics['questions']:,} questions",
        f"{statistics['groups']} groups",
        f"{statistics['families']} families",
        f"{statistics['topics']} topics",
        f"{statistics['near_misses']} near misses",
        f"{apart['pairs']:,} of {statistics['duplicate_pairs']:,}",
        f"{apart['groups']} of {statistics['groups']} groups",
        f"{statistics['more']['questions']:,} more questions to train on, in "
        f"{statistics['more']['groups']:,} groups and {statistics['more']['families']} families, "
        f"with {statistics['more']['near_misses']:,} near misses",
        f"{statistics['words']['mean']} words on average, from {statistics['words']['least']} to "
        f"{statistics['words']['most']}",
        *(f"{count} with {size}" for size, count in statistics["group_sizes"].items()),
        *(f"{statistics['first_words'][word]:.0%}" for word in ("how", "what")),
        *(f"{value:.2f}" for value in statistics["overlap"].values()),
        *(
            f"| {split} | {counts['questions']:,} | {counts['groups']} | {counts['families']} | "
            f"{counts['near_misses']} | {counts['pairs']:,} | {counts['fraction_of_duplicates']:.1%} |"
            for split, counts in statistics["splits"].items()
        ),
    ):
        assert figure in card, figure


def test_the_script_prints_lines_and_one_json_object(checked):
    done = subprocess.run([sys.executable, TOOL], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    *lines, last = done.stdout.splitlines()
    assert json.loads(last) == {"faults": 0, **json.loads(json.dumps(checked[1]))}
    assert lines[0].startswith(f"{checked[1]['questions']:,} questions in {checked[1]['groups']} ")
    assert lines[-1] == "no fault"
    assert all(len(line) < 120 for line in lines)


# --- the script, on broken copies ---


class Copy:
    """A copy of the set, to be broken line by line."""

    def __init__(self, folder):
        self.folder = folder
        for name in script.COLUMNS:
            shutil.copy(FOLDER / name, folder / name)

    def lines(self, name="questions.tsv"):
        return (self.folder / name).read_text("utf-8").splitlines()

    def write(self, lines, name="questions.tsv"):
        (self.folder / name).write_text("".join(f"{line}\n" for line in lines), "utf-8")

    def change(self, number, line, name="questions.tsv"):
        lines = self.lines(name)
        lines[number - 1] = line(lines[number - 1]) if callable(line) else line
        self.write(lines, name)

    def append(self, line, name="questions.tsv"):
        self.write([*self.lines(name), line], name)
        return len(self.lines(name))

    def faults(self):
        return script.check(self.folder)[0]


@pytest.fixture
def copy(tmp_path):
    return Copy(tmp_path)


NEAR = "near_misses.tsv"


def rows(copy, **wanted):
    """Questions of the copy with these fields."""
    return [
        question
        for question in own_questions.read_questions(copy.folder)
        if all(getattr(question, name) == value for name, value in wanted.items())
    ]


def test_an_unchanged_copy_has_no_fault(copy, checked):
    assert script.check(copy.folder) == checked


@pytest.mark.parametrize(
    "same", [str, str.upper, lambda text: text.replace("?", " !"), lambda text: f"({text})"]
)
def test_a_repeated_question(copy, same):
    *place, text = copy.lines()[9].split("\t")
    number = copy.append("\t".join([*place, same(text)]))
    assert copy.faults() == [f"questions.tsv line {number}: {same(text)!r} repeats line 10"]


def test_a_question_repeated_in_another_split(copy):
    text = copy.lines()[9].split("\t")[4]
    place = copy.lines()[-1].split("\t")[:4]
    number = copy.append("\t".join([*place, text]))
    assert copy.faults() == [f"questions.tsv line {number}: {text!r} repeats line 10"]


def test_a_near_miss_inside_a_group(copy):
    first, second = rows(copy, split="train")[:2]
    assert first.group == second.group
    number = copy.append(f"{first.text}\t{second.text}", NEAR)
    assert copy.faults() == [
        f"near_misses.tsv line {number}: both questions are in the group {first.group!r}"
    ]


def test_a_near_miss_of_a_question_with_itself(copy):
    text = rows(copy)[0].text
    copy.append(f"{text}\t{text}", NEAR)
    assert "both questions are in the group" in copy.faults()[0]


def test_a_near_miss_with_unknown_questions(copy):
    number = copy.append(f"{rows(copy)[0].text}\tIs this one known?", NEAR)
    copy.append("Nor this?\tNor that?", NEAR)
    assert copy.faults() == [
        f"near_misses.tsv line {number}: 'Is this one known?' is not in questions.tsv",
        f"near_misses.tsv line {number + 1}: 'Nor this?' is not in questions.tsv",
        f"near_misses.tsv line {number + 1}: 'Nor that?' is not in questions.tsv",
    ]


def test_a_near_miss_across_splits_and_one_across_families(copy):
    train, test = rows(copy, split="train"), rows(copy, split="test")
    number = copy.append(f"{train[0].text}\t{test[0].text}", NEAR)
    other = next(question for question in train if question.family != train[0].family)
    copy.append(f"{train[0].text}\t{other.text}", NEAR)
    assert copy.faults() == [
        f"near_misses.tsv line {number}: one question is in train, the other in test",
        f"near_misses.tsv line {number + 1}: two families, "
        f"{train[0].family!r} and {other.family!r}",
    ]


MORE = "more_questions.tsv"


def test_an_additional_question_that_the_set_has_or_that_is_not_for_training(copy):
    text = rows(copy, split="test")[-1].text
    family = copy.lines(MORE)[1].split("\t")[1:4]
    number = copy.append("\t".join(["train", *family, text]), MORE)
    copy.append("\t".join(["test", *family, "Is this one new?"]), MORE)
    repeated, split, moved, nearly = copy.faults()
    line = 1 + next(n for n, row in enumerate(copy.lines()) if row.endswith(f"\t{text}"))
    assert repeated == f"{MORE} line {number}: {text!r} repeats questions.tsv line {line}"
    assert split == f"{MORE} line {number + 1}: the split is 'test', not one of train"
    assert moved.startswith(f"{MORE} line {number + 1}: the family {family[1]!r} is in test")
    assert nearly == f"{MORE} line {number}: {text!r} is nearly {text!r}, which is not for training"


@pytest.mark.parametrize(("extra", "nearly"), [("", False), (" really", True)])
def test_an_additional_question_that_is_nearly_one_of_another_split(copy, extra, nearly):
    # 8 of 10 words are shared at least; without the extra one, 7 of 9 are
    words = ["quartz", "moss", "otter", "violin", "lantern", "gravel", "saddle"]
    place = copy.lines(MORE)[1].split("\t")[:4]
    held_out = next(n for n, row in enumerate(copy.lines(), 1) if row.startswith("validation\t"))
    known, new = (" ".join([*words, word]).capitalize() + f"{extra}?" for word in ("here", "there"))
    copy.change(held_out, lambda line: "\t".join([*line.split("\t")[:4], known]))
    number = copy.append("\t".join([*place, new]), MORE)
    found = [fault for fault in copy.faults() if fault.startswith(MORE)]
    expected = f"{MORE} line {number}: {new!r} is nearly {known!r}, which is not for training"
    assert found == [expected] * nearly


def test_an_additional_near_miss_with_a_question_of_the_set(copy):
    known, other = copy.lines(MORE)[1].split("\t")[4], rows(copy)[0].text
    number = copy.append(f"{known}\t{other}", f"more_{NEAR}")
    assert copy.faults() == [f"more_{NEAR} line {number}: {other!r} is not in {MORE}"]


def test_additional_questions_are_counted(checked):
    assert checked[1]["more"] == {
        "questions": len(own_questions.read_questions(more=True)),
        "groups": len({(q.family, q.group) for q in own_questions.read_questions(more=True)}),
        "families": len({q.family for q in own_questions.read_questions(more=True)}),
        "near_misses": len(own_questions.read_near_misses(more=True)),
    }


@pytest.mark.parametrize("order", [1, -1])
def test_a_near_miss_given_twice(copy, order):
    left, right = copy.lines(NEAR)[4].split("\t")[::order]
    number = copy.append(f"{left}\t{right}", NEAR)
    assert copy.faults() == [f"near_misses.tsv line {number}: repeats line 5"]


def test_a_family_in_two_splits_or_two_topics(copy):
    family = rows(copy, split="train")[0].family
    number = copy.append(f"test\tCooking and food\t{family}\tnew\tIs this one new?")
    faults = copy.faults()
    assert faults[0] == (
        f"questions.tsv line {number}: the family {family!r} is in test, 'Cooking and food', "
        "and before it was in train, 'Cooking and food'"
    )
    copy.change(number, f"train\tTravel\t{family}\tnew\tIs this one new?")
    assert f"the family {family!r} is in train, 'Travel'" in copy.faults()[0]


def test_a_split_that_is_none(copy):
    copy.change(2, lambda line: line.replace("train", "training", 1))
    assert copy.faults()[0] == (
        "questions.tsv line 2: the split is 'training', not one of train, validation, test"
    )


def test_a_split_without_a_question(copy):
    copy.write([line for line in copy.lines() if not line.startswith("validation")])
    assert "questions.tsv: no question is in validation" in copy.faults()


def test_a_small_group(copy):
    group = Counter((q.family, q.group) for q in rows(copy)).most_common()[-1]
    (family, name), size = group
    paired = {text for pair in own_questions.read_near_misses(copy.folder) for text in pair}
    gone = next(q.text for q in rows(copy, family=family, group=name) if q.text not in paired)
    copy.write([line for line in copy.lines() if not line.endswith(f"\t{gone}")])
    assert copy.faults() == [
        f"questions.tsv: the group {name!r} of {family!r} holds {size - 1} questions; "
        "expected at least 7"
    ]


def test_too_many_near_misses_for_the_share(copy):
    by_group = {}
    for question in rows(copy, split="test"):
        by_group.setdefault((question.family, question.group), []).append(question)
    known = {frozenset(pair) for pair in own_questions.read_near_misses(copy.folder)}
    new = []
    for one, other in itertools.combinations(by_group.values(), 2):
        if one[0].family == other[0].family:
            pairs = [(left.text, right.text) for left in one for right in other]
            new += [pair for pair in pairs if frozenset(pair) not in known]
    copy.write([*copy.lines(NEAR), *map("\t".join, new)], NEAR)
    (fault,) = copy.faults()
    assert re.fullmatch(r"\d\d% of the test pairs are duplicates; expected 37%", fault)


def test_too_few_questions_for_the_share(copy):
    kept = [
        next(q.group for q in rows(copy, split=split)) for split in SPLITS
    ]  # one group a split: no different pair can be made
    header, *lines = copy.lines()
    copy.write([header, *(line for line in lines if line.split("\t")[3] in kept)])
    copy.write(copy.lines(NEAR)[:1], NEAR)
    assert "different pairs; the train questions make 0" in copy.faults()[0]


@pytest.mark.parametrize("name", ["questions.tsv", NEAR])
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda line: line + "\tmore", r"{} line 3: \d columns instead of \d"),
        (lambda line: line.rsplit("\t", 1)[0], r"{} line 3: \d columns instead of \d"),
        (lambda line: "", r"{} line 3: 1 columns instead of \d"),
        (lambda line: line.rsplit("\t", 1)[0] + "\t", "{} line 3: an empty cell, or white space"),
        (lambda line: line + " ", "{} line 3: an empty cell, or white space too much"),
        (lambda line: line.replace(" ", "  ", 1), "{} line 3: an empty cell, or white space"),
    ],
    ids=["more", "fewer", "blank", "empty cell", "space at the end", "two spaces"],
)
def test_a_line_that_is_no_row(copy, name, damage, message):
    copy.change(3, damage, name)
    faults, statistics = script.check(copy.folder)
    assert len(faults) == 1
    assert re.match(message.format(re.escape(name)), faults[0])
    assert statistics == {}


def test_files_that_cannot_be_read(copy):
    (copy.folder / "questions.tsv").write_bytes(b"\xff\xfe")
    (copy.folder / NEAR).unlink()
    first, second = copy.faults()
    assert first.startswith("questions.tsv cannot be read: 'utf-8' codec")
    assert second.startswith("near_misses.tsv cannot be read: [Errno 2]")


def test_wrong_headers_and_empty_files(copy):
    copy.change(1, "split\ttopic\tgroup\tfamily\tquestion")
    (copy.folder / NEAR).write_text("")
    assert copy.faults() == [
        "questions.tsv line 1: the columns are not split, topic, family, group, question",
        "near_misses.tsv line 1: the columns are not question1, question2",
    ]


def test_a_set_of_headers_only(copy):
    for name in script.COLUMNS:
        copy.write(copy.lines(name)[:1], name)
    faults, statistics = script.check(copy.folder)
    assert faults == [f"questions.tsv: no question is in {split}" for split in SPLITS]
    assert statistics["questions"] == 0


def test_faults_are_printed_with_exit_code_1(copy, capsys):
    assert script.main([str(copy.folder)]) == 0
    assert "no fault" in capsys.readouterr().out
    number = copy.append(copy.lines(NEAR)[4], NEAR)
    copy.append("one\ttwo", NEAR)
    assert script.main([str(copy.folder)]) == 1
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line for line in lines if line.startswith("FAULT ")] == [
        f"FAULT near_misses.tsv line {number}: repeats line 5",
        f"FAULT near_misses.tsv line {number + 1}: 'one' is not in questions.tsv",
        f"FAULT near_misses.tsv line {number + 1}: 'two' is not in questions.tsv",
    ]
    assert lines[-1] == "3 faults"
    assert json.loads(last)["faults"] == 3
    copy.append("one\ttwo\tthree", NEAR)
    assert script.main([str(copy.folder)]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"FAULT near_misses.tsv line {number + 2}: 3 columns instead of 2",
        "1 fault",
        '{"faults": 1}',
    ]

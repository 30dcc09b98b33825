"""The check of the course's own sentences, on the set and on damaged copies."""

import importlib.util
import itertools
import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from siamese_course.datasets import SPLITS, own_sentences

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).resolve().parents[2] / "data" / "sentences"


TOOL = FOLDER.parents[1] / "tools" / "check_sentences.py"


def load_script():
    spec = importlib.util.spec_from_file_location("check_sentences", TOOL)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    return script


script = load_script()


def triplet_rows(triplets):
    return list(zip(triplets.anchor, triplets.positive, triplets.negative, strict=True))


# --- the course's own ---


COLLECTION, QUERIES = "search_collection.tsv", "search_queries.tsv"


def own_lines(name):
    header, *lines = (FOLDER / name).read_text("utf-8").removesuffix("\n").split("\n")
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


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
    for split in SPLITS:
        rows = [line for line in lines if line["split"] == split]
        found = statistics["splits"][split]
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
    for split, triplets in zip(SPLITS, own_sentences.own_triplets(), strict=True):
        found = statistics["splits"][split]
        assert found["sentences"] == sum(line["split"] == split for line in lines)
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


def test_a_family_in_two_splits_and_a_sentence_in_two_splits(copy):
    split, topic, family, _, left, _ = copy.cells()[9]
    assert split == "train"
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


def test_an_article_in_two_splits(copy):
    split, article, *_ = copy.cells(SECTIONS)[2]
    copy.change(3, 0, "test", SECTIONS)
    faults = copy.faults()
    assert faults[0] == (
        f"sections.tsv line 3: the article {article!r} is in test, and before it was in {split}"
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


def test_a_split_without_an_article(copy):
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
        f"{name} line 7: the split is 'training', not one of train, validation, test",
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

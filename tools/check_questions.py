"""Check the course's own questions and print what they are like.

    python tools/check_questions.py [FOLDER]

A line for each fault and exit code 1 when something is wrong; the last line is one JSON object.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from siamese_course.batching.tokens import simple_tokenizer
from siamese_course.datasets import SPLITS
from siamese_course.datasets.own_questions import (
    Question,
    own_pairs,
    read_near_misses,
    read_questions,
)
from siamese_course.datasets.question_splits import DUPLICATE_FRACTION
from siamese_course.sources.question_pairs import normal_form

HERE = Path(__file__).resolve().parents[1] / "data" / "questions"
COLUMNS = {
    "questions.tsv": ["split", "topic", "family", "group", "question"],
    "near_misses.tsv": ["question1", "question2"],
}
COLUMNS |= {f"more_{name}": columns for name, columns in COLUMNS.items()}
SMALLEST_GROUP = 7
MOST_SHARED = 0.8
"""An additional question shares a smaller fraction of its words (Jaccard) with every held-out question."""

# Words that say little about the subject; s, t, m and the like are what "what's" and "don't" leave.
_STOP_WORDS = """
a an the this that these those it its itself one ones some any all each every both other another
i me my mine myself you your yours yourself he him his she her hers we us our ours they them their
theirs who whom whose what which when where why how anyone anybody anything someone somebody
something everyone everybody people person
am is are was were be been being do does did doing done have has had having can could will would
shall should may might must ought need
s t m re ve ll d don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
not no nor and or but if then than so because as while though although whether either
of in on at to from by for with without about into onto out off up down over under after before
during between through again against until since
there here now just only even also too very much many more most less least such same own still
ever never always get gets got getting go goes going make makes made let lets
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def check(folder: Path = HERE) -> tuple[list[str], dict]:
    """What is wrong with the set in a folder, and its statistics.

    Returns:
        (faults, statistics): a sentence for each fault; figures as the script prints them, none
        where the files cannot be read, and no pairs where they are at fault.
    """
    faults = list(_faults_of_lines(folder))
    if faults:
        return faults, {}
    questions, near_misses = read_questions(folder), read_near_misses(folder)
    more, more_near = read_questions(folder, more=True), read_near_misses(folder, more=True)
    faults = [
        *_faults_of_questions(questions, more),
        *_faults_of_copies(questions, more),
        *_faults_of_near_misses("near_misses.tsv", questions, near_misses),
        *_faults_of_near_misses("more_near_misses.tsv", more, more_near),
    ]
    statistics = _statistics(questions, near_misses)
    statistics["more"] = {
        "questions": len(more),
        "groups": len(_groups(more)),
        "families": len({question.family for question in more}),
        "near_misses": len(more_near),
    }
    if faults:
        return faults, statistics
    try:
        splits = own_pairs(folder=folder)
    except ValueError as error:
        return [str(error)], statistics
    for split, pairs in zip(SPLITS, splits, strict=True):
        share = round(float(pairs.same.mean()), 4)
        statistics["splits"][split] |= {"pairs": len(pairs), "fraction_of_duplicates": share}
        if abs(share - DUPLICATE_FRACTION) > 0.01:
            faults.append(
                f"{share:.0%} of the {split} pairs are duplicates; expected {DUPLICATE_FRACTION:.0%}"
            )
    return faults, statistics


def _faults_of_lines(folder: Path) -> Iterator[str]:
    for name, columns in COLUMNS.items():
        try:
            lines = (folder / name).read_text("utf-8").removesuffix("\n").split("\n")
        except (OSError, UnicodeDecodeError) as error:
            yield f"{name} cannot be read: {error}"
            continue
        if lines[0].split("\t") != columns:
            yield f"{name} line 1: the columns are not {', '.join(columns)}"
        for number, line in enumerate(lines[1:], 2):
            cells = line.split("\t")
            if len(cells) != len(columns):
                yield f"{name} line {number}: {len(cells)} columns instead of {len(columns)}"
            elif any(not cell or " ".join(cell.split()) != cell for cell in cells):
                yield f"{name} line {number}: an empty cell, or white space too much"


def _faults_of_questions(questions: list[Question], more: list[Question]) -> Iterator[str]:
    first_at, place_of = {}, {}
    files = {"questions.tsv": questions, "more_questions.tsv": more}
    for name, rows in files.items():
        splits = SPLITS if rows is questions else SPLITS[:1]
        for number, question in enumerate(rows, 2):
            where = f"{name} line {number}"
            if question.split not in splits:
                yield f"{where}: the split is {question.split!r}, not one of {', '.join(splits)}"
            first = first_at.setdefault(normal_form(question.text), where)
            if first != where:
                yield f"{where}: {question.text!r} repeats {first.removeprefix(f'{name} ')}"
            place = place_of.setdefault(question.family, (question.split, question.topic))
            if place != (question.split, question.topic):
                yield (
                    f"{where}: the family {question.family!r} is in {question.split}, "
                    f"{question.topic!r}, and before it was in {place[0]}, {place[1]!r}"
                )
    for split in SPLITS:
        if all(question.split != split for question in questions):
            yield f"questions.tsv: no question is in {split}"
    for name, rows in files.items():
        for (family, group), members in _groups(rows).items():
            if len(members) < SMALLEST_GROUP:
                yield (
                    f"{name}: the group {group!r} of {family!r} holds {len(members)} questions; "
                    f"expected at least {SMALLEST_GROUP}"
                )


def _faults_of_copies(questions: list[Question], more: list[Question]) -> Iterator[str]:
    """Additional questions that are nearly those of another split."""
    held_out = [question.text for question in questions if question.split != SPLITS[0]]
    if not held_out or not more:
        return
    texts = [*held_out, *(question.text for question in more)]
    counts = CountVectorizer(analyzer=simple_tokenizer, binary=True).fit_transform(texts)
    words = np.asarray(counts.sum(axis=1)).ravel()
    shared = (counts[len(held_out) :] @ counts[: len(held_out)].T).tocoo()
    union = words[len(held_out) + shared.row] + words[shared.col] - shared.data
    found = shared.data >= MOST_SHARED * union
    for row, column in zip(shared.row[found], shared.col[found], strict=True):
        yield (
            f"more_questions.tsv line {row + 2}: {more[row].text!r} is nearly {held_out[column]!r}, "
            "which is not for training"
        )


def _faults_of_near_misses(name: str, questions, near_misses) -> Iterator[str]:
    known = {question.text: question for question in reversed(questions)}
    line_of = {}
    for number, pair in enumerate(near_misses, 2):
        where = f"{name} line {number}"
        first = line_of.setdefault(frozenset(pair), number)
        if first != number:
            yield f"{where}: repeats line {first}"
        unknown = [text for text in pair if text not in known]
        if unknown:
            file = name.replace("near_misses", "questions")
            yield from (f"{where}: {text!r} is not in {file}" for text in unknown)
            continue
        left, right = (known[text] for text in pair)
        if left.split != right.split:
            yield f"{where}: one question is in {left.split}, the other in {right.split}"
        elif left.family != right.family:
            yield f"{where}: two families, {left.family!r} and {right.family!r}"
        elif left.group == right.group:
            yield f"{where}: both questions are in the group {left.group!r}"


def _groups(questions: list[Question]) -> dict[tuple[str, str], list[str]]:
    groups = defaultdict(list)
    for question in questions:
        groups[question.family, question.group].append(question.text)
    return groups


def _statistics(questions: list[Question], near_misses: list[tuple[str, str]]) -> dict:
    groups = _groups(questions)
    duplicates = {place: list(combinations(texts, 2)) for place, texts in groups.items()}
    all_duplicates = [pair for pairs in duplicates.values() for pair in pairs]
    apart = {place: sum(map(_apart, pairs)) for place, pairs in duplicates.items()}
    lengths = [len(simple_tokenizer(question.text)) for question in questions]
    first_words = Counter(question.text.split()[0].lower() for question in questions)
    split_of = {question.text: question.split for question in questions}
    return {
        "questions": len(questions),
        "groups": len(groups),
        "families": len({question.family for question in questions}),
        "topics": len({question.topic for question in questions}),
        "near_misses": len(near_misses),
        "duplicate_pairs": len(all_duplicates),
        "group_sizes": dict(sorted(Counter(map(len, groups.values())).items())),
        "splits": {
            split: {
                "questions": sum(question.split == split for question in questions),
                "groups": len(_groups([q for q in questions if q.split == split])),
                "families": len({q.family for q in questions if q.split == split}),
                "near_misses": sum(split_of.get(left) == split for left, _ in near_misses),
            }
            for split in SPLITS
        },
        "words": {
            "mean": round(_mean(lengths), 1),
            "least": min(lengths, default=0),
            "most": max(lengths, default=0),
        },
        "first_words": {
            word: round(count / len(questions), 3) for word, count in first_words.most_common(6)
        },
        "overlap": {
            "near_misses": round(_mean(map(_overlap, near_misses)), 3),
            "duplicates": round(_mean(map(_overlap, all_duplicates)), 3),
        },
        "no_shared_content_word": {
            "pairs": sum(apart.values()),
            "fraction_of_pairs": round(_mean(map(_apart, all_duplicates)), 3),
            "groups": sum(count > 0 for count in apart.values()),
        },
    }


def _overlap(pair: tuple[str, str]) -> float:
    """Shared words among all words of both questions (Jaccard)."""
    left, right = (set(simple_tokenizer(text)) for text in pair)
    return len(left & right) / max(1, len(left | right))


def _apart(pair: tuple[str, str]) -> bool:
    """Whether two questions share no word but stop words."""
    left, right = (set(simple_tokenizer(text)) - STOP_WORDS for text in pair)
    return left.isdisjoint(right)


def _mean(values) -> float:
    values = list(values)
    return sum(values) / max(1, len(values))


def _readable(statistics: dict) -> Iterator[str]:
    one = statistics
    yield (
        f"{one['questions']:,} questions in {one['groups']} groups, {one['families']} families and "
        f"{one['topics']} topics; {one['near_misses']} near misses"
    )
    for split, counts in one["splits"].items():
        more = ""
        if "pairs" in counts:
            more = f"; {counts['pairs']:,} pairs, {counts['fraction_of_duplicates']:.1%} duplicates"
        yield (
            f"  {split}: {counts['questions']:,} questions, {counts['groups']} groups, "
            f"{counts['families']} families, {counts['near_misses']} near misses{more}"
        )
    sizes = ", ".join(f"{size} in {count}" for size, count in one["group_sizes"].items())
    yield f"questions of a group: {sizes}"
    words = one["words"]
    yield f"words of a question: {words['mean']} on average, {words['least']} to {words['most']}"
    first = ", ".join(f"{word} {share:.0%}" for word, share in one["first_words"].items())
    yield f"first words: {first}"
    overlap = one["overlap"]
    yield (
        f"shared words (Jaccard, mean): {overlap['near_misses']:.2f} in near misses, "
        f"{overlap['duplicates']:.2f} in duplicates"
    )
    apart = one["no_shared_content_word"]
    yield (
        f"duplicates without a shared content word: {apart['pairs']:,} of "
        f"{one['duplicate_pairs']:,} ({apart['fraction_of_pairs']:.0%}), in {apart['groups']} groups"
    )
    more = one["more"]
    yield (
        f"more questions to train on: {more['questions']:,} in {more['groups']:,} groups and "
        f"{more['families']} families; {more['near_misses']:,} near misses"
    )


def main(arguments: list[str]) -> int:
    """Print faults and statistics; 1 when something is wrong."""
    faults, statistics = check(Path(arguments[0]) if arguments else HERE)
    if statistics:
        print(*_readable(statistics), sep="\n")
    for fault in faults:
        print(f"FAULT {fault}")
    print(f"{len(faults) or 'no'} fault{'s' * (len(faults) > 1)}")
    print(json.dumps({"faults": len(faults), **statistics}))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

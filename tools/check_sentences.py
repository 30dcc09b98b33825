"""Check the course's own sentences and print what they are like.

    python tools/check_sentences.py [FOLDER]

A line for each fault and exit code 1 when something is wrong; the last line is one JSON object.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from siamese_course.batching.tokens import simple_tokenizer
from siamese_course.datasets import SPLITS
from siamese_course.datasets.own_sentences import own_triplets
from siamese_course.runtime.shipped import shipped
from siamese_course.sources.question_pairs import normal_form
from siamese_course.sources.sentence_tables import Triplets

HERE = Path(__file__).resolve().parents[1] / "data" / "sentences"
FEWEST_PAIRS = 400
BANDS = ("0 to 1", "1 to 2", "2 to 3", "3 to 4", "4 to 5")  # of scores; only the last has its end
BAND_SHARES = (0.15, 0.25)
SECTIONS, SENTENCES = 3, 5  # sections of an article, sentences of a section
ONE_DECIMAL = re.compile(r"[0-4]\.[0-9]|5\.0")
FEWEST_SENTENCES, FEWEST_TOPICS, FEWEST_QUERIES = 1600, 40, 66  # of the search
SENTENCE_WORDS, QUERY_WORDS = (5, 22), (4, 14)
MOST_ANSWERS = 3
# Distractors of a query that has any, and the fraction of queries that do
DISTRACTORS, DISTRACTED_SHARE = 2, 1 / 3


class Pair(NamedTuple):
    """One line of pairs.tsv."""

    split: str
    topic: str
    family: str
    score: str
    sentence1: str
    sentence2: str

    @property
    def sentences(self) -> tuple[str, str]:
        """Both sentences."""
        return self.sentence1, self.sentence2

    @property
    def band(self) -> int:
        """The whole points of the score; 5.0 is in the band from 4."""
        return min(int(self.score[0]), 4)


class Sentence(NamedTuple):
    """One line of sections.tsv."""

    split: str
    article: str
    section: str
    text: str


class Item(NamedTuple):
    """One line of search_collection.tsv."""

    id: str
    topic: str
    text: str


class Query(NamedTuple):
    """One line of search_queries.tsv."""

    text: str
    answer_ids: str
    distractor_ids: str

    @property
    def answers(self) -> list[str]:
        """Ids of the sentences that say what the query says."""
        return self.answer_ids.split()

    @property
    def distractors(self) -> list[str]:
        """Ids of sentences that share its words and mean something else."""
        return self.distractor_ids.split()


COLUMNS = {
    "pairs.tsv": ["split", "topic", "family", "score", "sentence1", "sentence2"],
    "sections.tsv": ["split", "article", "section", "sentence"],
    "search_collection.tsv": ["id", "topic", "sentence"],
    "search_queries.tsv": ["query", "answers", "distractors"],
}
OPTIONAL = {"distractors"}


def check(folder: Path = HERE) -> tuple[list[str], dict]:
    """What is wrong with the files in a folder, and their statistics.

    Returns:
        (faults, statistics): a sentence for each fault; figures as the script prints them, none
        where the files cannot be read, no triplets where the sections are at fault, and no search
        where its files are.
    """
    faults = list(_faults_of_lines(folder))
    if faults:
        return faults, {}
    pairs = [Pair(*cells) for cells in _rows(folder / "pairs.tsv")]
    sentences = [Sentence(*cells) for cells in _rows(folder / "sections.tsv")]
    collection = [Item(*cells) for cells in _rows(folder / "search_collection.tsv")]
    queries = [Query(*cells) for cells in _rows(folder / "search_queries.tsv")]
    faults_of_sections = list(_faults_of_sections(sentences))
    faults_of_search = [
        *_faults_of_collection(collection, _taken(pairs, sentences)),
        *_faults_of_queries(queries, collection, _taken(pairs, sentences)),
        *_faults_of_search_size(collection, queries),
    ]
    faults = [
        *_faults_of_pairs(pairs),
        *_faults_of_bands(pairs),
        *faults_of_sections,
        *faults_of_search,
    ]
    held_out = [s for pair in pairs if pair.split != "train" for s in pair.sentences]
    held_out += [sentence.text for sentence in sentences if sentence.split != "train"]
    held_out += [item.text for item in collection] + [query.text for query in queries]
    faults += _faults_of_silver(folder, set(map(normal_form, held_out)))
    statistics = {"pairs": _pair_statistics(pairs), "sections": _section_statistics(sentences)}
    if not faults_of_sections:
        for split, triplets in zip(SPLITS, own_triplets(folder=folder), strict=True):
            statistics["sections"]["splits"][split] |= {
                "triplets": len(triplets),
                "overlap_is_right": round(_overlap_score(triplets), 3),
            }
    if not faults_of_search:
        statistics["search"] = _search_statistics(collection, queries)
    return faults, statistics


def _rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").split("\n")[1:] if line]


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
            elif any(
                (not cell and column not in OPTIONAL) or " ".join(cell.split()) != cell
                for column, cell in zip(columns, cells, strict=True)
            ):
                yield f"{name} line {number}: an empty cell, or white space too much"
            elif "split" in columns and cells[0] not in SPLITS:
                splits = ", ".join(SPLITS)
                yield f"{name} line {number}: the split is {cells[0]!r}, not one of {splits}"
            elif name == "pairs.tsv" and not ONE_DECIMAL.fullmatch(cells[3]):
                yield (
                    f"{name} line {number}: the score is {cells[3]!r}; "
                    "expected 0.0 to 5.0 with one decimal"
                )


def _faults_of_pairs(pairs: list[Pair]) -> Iterator[str]:
    line_of, place_of, split_of = {}, {}, {}
    for number, pair in enumerate(pairs, 2):
        where = f"pairs.tsv line {number}"
        forms = [normal_form(sentence) for sentence in pair.sentences]
        if forms[0] == forms[1]:
            yield f"{where}: the two sentences are the same"
        first = line_of.setdefault(frozenset(forms), number)
        if first != number:
            yield f"{where}: repeats line {first}"
        place = place_of.setdefault(pair.family, (pair.split, pair.topic))
        if place != (pair.split, pair.topic):
            yield (
                f"{where}: the family {pair.family!r} is in {pair.split}, {pair.topic!r}, "
                f"and before it was in {place[0]}, {place[1]!r}"
            )
        for form, sentence in zip(forms, pair.sentences, strict=True):
            split = split_of.setdefault(form, pair.split)
            if split != pair.split:
                yield f"{where}: {sentence!r} is in {pair.split}, and before it was in {split}"
    if len(pairs) < FEWEST_PAIRS:
        yield f"pairs.tsv: {len(pairs)} pairs; expected at least {FEWEST_PAIRS}"


def _faults_of_bands(pairs: list[Pair]) -> Iterator[str]:
    low, high = BAND_SHARES
    for split in SPLITS:
        shares = _band_shares([pair for pair in pairs if pair.split == split])
        for band, share in zip(BANDS, shares, strict=True):
            if not low <= share <= high:
                yield (
                    f"pairs.tsv: {share:.1%} of the {split} pairs have a score from {band}; "
                    f"expected {low:.0%} to {high:.0%}"
                )


def _faults_of_sections(sentences: list[Sentence]) -> Iterator[str]:
    line_of, split_of = {}, {}
    sizes = defaultdict(Counter)
    for number, sentence in enumerate(sentences, 2):
        where = f"sections.tsv line {number}"
        first = line_of.setdefault(normal_form(sentence.text), number)
        if first != number:
            yield f"{where}: {sentence.text!r} repeats line {first}"
        split = split_of.setdefault(sentence.article, sentence.split)
        if split != sentence.split:
            yield (
                f"{where}: the article {sentence.article!r} is in {sentence.split}, "
                f"and before it was in {split}"
            )
        sizes[sentence.article][sentence.section] += 1
    for split in SPLITS:
        if split not in split_of.values():
            yield f"sections.tsv: no article is in {split}"
    for article, sections in sizes.items():
        if list(sections.values()) != [SENTENCES] * SECTIONS:
            found = ", ".join(f"{count} in {section!r}" for section, count in sections.items())
            yield (
                f"sections.tsv: the article {article!r} has the sentences {found}; "
                f"expected {SECTIONS} sections of {SENTENCES}"
            )


def _taken(pairs: list[Pair], sentences: list[Sentence]) -> dict[str, str]:
    """The normal forms that the search may not repeat, and the file that holds each."""
    questions = (cells[-1] for cells in _rows(shipped("questions") / "questions.tsv"))
    texts = {
        "questions.tsv": questions,
        "sections.tsv": (sentence.text for sentence in sentences),
        "pairs.tsv": (text for pair in pairs for text in pair.sentences),
    }
    return {normal_form(text): name for name, members in texts.items() for text in members}


def _faults_of_collection(collection: list[Item], taken: dict[str, str]) -> Iterator[str]:
    line_of_id, line_of = {}, {}
    for number, item in enumerate(collection, 2):
        where = f"search_collection.tsv line {number}"
        first = line_of_id.setdefault(item.id, number)
        if first != number:
            yield f"{where}: the id {item.id!r} is that of line {first}"
        form = normal_form(item.text)
        first = line_of.setdefault(form, number)
        if first != number:
            yield f"{where}: {item.text!r} repeats line {first}"
        yield from _faults_of_text(where, item.text, SENTENCE_WORDS, taken)


def _faults_of_queries(
    queries: list[Query], collection: list[Item], taken: dict[str, str]
) -> Iterator[str]:
    ids = {item.id for item in collection}
    taken = taken | {normal_form(item.text): "search_collection.tsv" for item in collection}
    line_of = {}
    for number, query in enumerate(queries, 2):
        where = f"search_queries.tsv line {number}"
        first = line_of.setdefault(normal_form(query.text), number)
        if first != number:
            yield f"{where}: {query.text!r} repeats line {first}"
        yield from _faults_of_text(where, query.text, QUERY_WORDS, taken)
        if len(query.answers) > MOST_ANSWERS:
            yield f"{where}: {len(query.answers)} answers; expected 1 to {MOST_ANSWERS}"
        marked = Counter(query.answers + query.distractors)
        for name, count in marked.items():
            if name not in ids:
                yield f"{where}: no sentence of the collection has the id {name!r}"
            if count > 1:
                yield f"{where}: {name!r} is marked {count} times"


def _faults_of_text(
    where: str, text: str, lengths: tuple[int, int], taken: dict[str, str]
) -> Iterator[str]:
    low, high = lengths
    if not low <= len(text.split()) <= high:
        yield f"{where}: {text!r} has {len(text.split())} words; expected {low} to {high}"
    if normal_form(text) in taken:
        yield f"{where}: {text!r} is in {taken[normal_form(text)]}, too"


def _faults_of_silver(folder: Path, held_out: set[str]) -> Iterator[str]:
    """Faults of silver.tsv: a pair that is repeated, a sentence that is kept for validation, test or search."""
    path = folder / "silver.tsv"
    if not path.exists():
        return
    seen = {}
    for number, (_, *sentences) in enumerate(_rows(path), 2):
        forms = frozenset(map(normal_form, sentences))
        if seen.setdefault(forms, number) != number:
            yield f"silver.tsv line {number}: repeats line {seen[forms]}"
        for sentence in sentences:
            if normal_form(sentence) in held_out:
                yield f"silver.tsv line {number}: {sentence!r} is kept for validation, test or search"


def _faults_of_search_size(collection: list[Item], queries: list[Query]) -> Iterator[str]:
    topics = len({item.topic for item in collection})
    distracted = sum(len(query.distractors) >= DISTRACTORS for query in queries)
    for name, count, fewest in (
        ("search_collection.tsv", f"{len(collection)} sentences", FEWEST_SENTENCES),
        ("search_collection.tsv", f"{topics} topics", FEWEST_TOPICS),
        ("search_queries.tsv", f"{len(queries)} queries", FEWEST_QUERIES),
    ):
        if int(count.split()[0]) < fewest:
            yield f"{name}: {count}; expected at least {fewest}"
    if distracted < DISTRACTED_SHARE * len(queries):
        yield (
            f"search_queries.tsv: {distracted} of {len(queries)} queries have {DISTRACTORS} "
            "distractors or more; expected at least a third"
        )


def _pair_statistics(pairs: list[Pair]) -> dict:
    lengths = [len(simple_tokenizer(text)) for pair in pairs for text in pair.sentences]
    return {
        **_pair_counts(pairs),
        "topics": len({pair.topic for pair in pairs}),
        "sentences": len({text for pair in pairs for text in pair.sentences}),
        "splits": {split: _pair_counts([p for p in pairs if p.split == split]) for split in SPLITS},
        "words": _word_statistics(lengths),
    }


def _pair_counts(pairs: list[Pair]) -> dict:
    scores = [float(pair.score) for pair in pairs]
    overlaps = [_overlap(*pair.sentences) for pair in pairs]
    return {
        "pairs": len(pairs),
        "families": len({pair.family for pair in pairs}),
        "bands": [round(share, 3) for share in _band_shares(pairs)],
        "spearman_of_overlap": round(_spearman(scores, overlaps), 3),
    }


def _section_statistics(sentences: list[Sentence]) -> dict:
    lengths = [len(simple_tokenizer(sentence.text)) for sentence in sentences]
    return {
        "sentences": len(sentences),
        "articles": len({sentence.article for sentence in sentences}),
        "splits": {
            split: {
                "articles": len({s.article for s in sentences if s.split == split}),
                "sentences": sum(s.split == split for s in sentences),
            }
            for split in SPLITS
        },
        "words": _word_statistics(lengths),
    }


def _search_statistics(collection: list[Item], queries: list[Query]) -> dict:
    ranks = _overlap_ranks(collection, queries)
    marked = [bool(query.distractors) for query in queries]
    halves = {
        "with_distractors": marked,
        "without": [not one for one in marked],
        "all": [True] * len(queries),
    }
    return {
        "sentences": len(collection),
        "topics": len({item.topic for item in collection}),
        "words": _word_statistics([len(item.text.split()) for item in collection]),
        "words_of_queries": _word_statistics([len(query.text.split()) for query in queries]),
        "queries": {
            name: _query_counts(
                [query for query, one in zip(queries, half, strict=True) if one],
                [rank for rank, one in zip(ranks, half, strict=True) if one],
            )
            for name, half in halves.items()
        },
    }


def _query_counts(queries: list[Query], ranks: list[float]) -> dict:
    return {
        "queries": len(queries),
        "answers": sum(len(query.answers) for query in queries),
        "distractors": sum(len(query.distractors) for query in queries),
        "overlap_mrr": round(_mean(1 / rank for rank in ranks), 3),
    }


def _overlap_ranks(collection: list[Item], queries: list[Query]) -> list[float]:
    """The place of the best answer of each query by word overlap; ties take the middle place."""
    ranks = []
    for query in queries:
        overlaps = {item.id: _overlap(query.text, item.text) for item in collection}
        best = max(overlaps[name] for name in query.answers)
        others = [value for name, value in overlaps.items() if name not in query.answers]
        ranks.append(1 + sum(value > best for value in others) + others.count(best) / 2)
    return ranks


def _band_shares(pairs: list[Pair]) -> list[float]:
    counts = Counter(pair.band for pair in pairs)
    return [counts[band] / max(1, len(pairs)) for band in range(len(BANDS))]


def _word_statistics(lengths: list[int]) -> dict:
    return {
        "mean": round(_mean(lengths), 1),
        "least": min(lengths, default=0),
        "most": max(lengths, default=0),
    }


def _overlap(left: str, right: str) -> float:
    """Shared words among all words of both sentences (Jaccard)."""
    one, other = set(simple_tokenizer(left)), set(simple_tokenizer(right))
    return len(one & other) / max(1, len(one | other))


def _overlap_score(triplets: Triplets) -> float:
    """How often an anchor shares more words with its positive than the negative; ties are half."""
    near = map(_overlap, triplets.anchor, triplets.positive)
    far = map(_overlap, triplets.anchor, triplets.negative)
    return _mean((a > b) + (a == b) / 2 for a, b in zip(near, far, strict=True))


def _spearman(left: list[float], right: list[float]) -> float:
    """Spearman's rank correlation; 0 where one side never changes."""
    from scipy.stats import spearmanr

    if min(len(set(left)), len(set(right))) < 2:
        return 0.0
    return float(spearmanr(left, right).statistic)


def _mean(values: Iterable[float]) -> float:
    values = list(values)
    return sum(values) / max(1, len(values))


def _readable(statistics: dict) -> Iterator[str]:
    one = statistics["pairs"]
    yield (
        f"{one['pairs']:,} pairs of {one['sentences']:,} sentences, {one['families']} families and "
        f"{one['topics']} topics"
    )
    for name, counts in {**one["splits"], "all": one}.items():
        shares = zip(BANDS, counts["bands"], strict=True)
        bands = ", ".join(f"{band} {share:.1%}" for band, share in shares)
        yield (
            f"  {name}: {counts['pairs']:,} pairs, {counts['families']} families; {bands}; "
            f"overlap {counts['spearman_of_overlap']:.2f}"
        )
    yield "  (the share of each band of scores; Spearman's correlation of score and word overlap)"
    yield f"words of a sentence: {_words(one)}"
    one = statistics["sections"]
    yield f"{one['sentences']:,} sentences of sections, {one['articles']} articles"
    for split, counts in one["splits"].items():
        more = ""
        if "triplets" in counts:
            more = (
                f"; {counts['triplets']:,} triplets, "
                f"word overlap is right in {counts['overlap_is_right']:.1%}"
            )
        yield f"  {split}: {counts['articles']} articles, {counts['sentences']:,} sentences{more}"
    yield f"words of a sentence: {_words(one)}"
    if one := statistics.get("search"):
        yield f"{one['sentences']:,} sentences to search, {one['topics']} topics"
        for name, counts in one["queries"].items():
            yield (
                f"  {name.replace('_', ' ')}: {counts['queries']} queries, "
                f"{counts['answers']} answers, {counts['distractors']} distractors; "
                f"MRR of word overlap {counts['overlap_mrr']:.2f}"
            )
        yield f"words of a sentence: {_words(one)}"
        yield f"words of a query: {_words({'words': one['words_of_queries']})}"


def _words(statistics: dict) -> str:
    words = statistics["words"]
    return f"{words['mean']} on average, {words['least']} to {words['most']}"


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

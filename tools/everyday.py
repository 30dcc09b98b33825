"""Write plain English everyday sentences, made from the tables in everyday.toml: more text to distill an encoder on.

    python tools/everyday.py --sentences 250000 --seed 0 > everyday.txt
    python tools/everyday.py --frames tools/everyday_frames.txt --sentences 150000 > frames.txt

One sentence a line, 4 to 25 words, no sentence twice and none of the course's own, shuffled; the same seed gives
the same lines. A domain of
everyday.toml has rows, whose columns fit together, and frames, which put a row's columns into sentences. There are
more frames than one to a meaning and more words than one to a column, so that the sentences of a row are paraphrases
and near misses of each other. In rows, frames and words:

    a|b        one of them: in a column, in an entry of [words]; elsewhere (a|b), with (|a) for perhaps a
    <name>     one of the entry's alternatives in [words]
    {column}   the row's column, the same choice wherever the frame repeats it
    {column.x} the column in another form: a verb's ing, past, pp, s (agrees with the subject),
               or a noun's is, was, has, does
    {S}        somebody of the class in the row's column who, {K} a known person;
               {S.is}, {S.was}, {S.has}, {S.does} agree
    ~          the possessive of whoever the sentence is about

With --frames, the sentences are made from that file instead, a frame a line. Those of everyday_frames.txt need no
tables: each is about one situation, and its alternatives keep the meaning or change it with few words. In
everyday_situations.txt each situation has four or five frames one after another: paraphrases in other words and another
syntax, and near misses. In everyday_near_misses.txt it has up to six: a sentence, two paraphrases, then nearly the same
words with roles swapped, negated or reversed, with one thing exchanged, and another remark on the same subject.
"""

import argparse
import random
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

TABLES = Path(__file__).with_name("everyday.toml")
COURSE = Path(__file__).parents[1] / "data"
MIN_WORDS, MAX_WORDS = 4, 25
TIRED = 300  # repeated sentences in a row after which a domain is left
DOUBLED = set(
    [
        "admit",
        "babysit",
        "begin",
        "commit",
        "control",
        "equip",
        "forget",
        "prefer",
        "quit",
        "refer",
        "regret",
        "repot",
        "reset",
        "unclog",
        "unplug",
        "unzip",
    ]
)
PLURALS = set(
    [
        "children",
        "people",
        "men",
        "women",
        "teeth",
        "feet",
        "sheep",
        "cattle",
        "mice",
        "geese",
        "fish",
        "police",
    ]
)
SINGULARS = set(
    ["bus", "lens", "gas", "news", "canvas", "tennis", "yes", "physics", "asparagus", "hibiscus"]
)
ANIMALS = {"dog", "cat"}
AGREEMENT = {"is": "are", "was": "were", "has": "have", "does": "do"}
SUBJECT_OF = {
    "I": "my",
    "me": "my",
    "my": "my",
    "we": "our",
    "our": "our",
    "she": "her",
    "he": "his",
    "they": "their",
}


def split(text: str, at: str = "|") -> list[str]:
    """Split at every ``at`` that is not inside parentheses."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == at and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() if at == ";" else part for part in parts]


def plural(noun: str) -> bool:
    """Whether a noun phrase takes "are"."""
    if re.match(r"(a|an|one|every|each|another|this|that) ", noun):
        return False
    if " and " in noun or re.match(
        r"(two|three|four|five|six|several|many|some of|both|these|those|a few) ", noun
    ):
        return True
    words = re.split(r" (?:of|in|on|with|for|from|to|at|that|by|full|about|under|behind) ", noun)[
        0
    ].split()
    head = words[-1] if words else ""
    return head in PLURALS or (
        head.endswith("s") and not head.endswith("ss") and head not in SINGULARS
    )


@dataclass
class Somebody:
    """Whom a sentence is about."""

    name: str
    possessive: str
    many: bool


@dataclass
class Domain:
    """Rows of columns that fit together, and the frames that make sentences of them."""

    weight: float
    columns: list[str]
    rows: list[list[str]]
    frames: list[str]
    end: str
    in_a_row: int = 0


class Writer:
    """Draws sentences from the tables."""

    def __init__(self, tables: dict, seed: int):
        """Read the tables; every choice comes from ``seed``."""
        self.random = random.Random(seed)
        self.words = {name: split(" ".join(text.split())) for name, text in tables["words"].items()}
        self.people = {
            name: [split(line, ";") for line in lines(text)]
            for name, text in tables["people"].items()
        }
        self.irregular = {line.split()[0]: line.split()[1:] for line in lines(tables["irregular"])}
        self.domains = [
            Domain(
                weight=table.get("weight", 1.0),
                columns=table.get("columns", "").split(),
                rows=[split(line, ";") for line in lines(table.get("rows", ""))] or [[]],
                frames=lines(table["frames"]),
                end=table.get("end", "."),
            )
            for table in tables["domain"]
        ]

    def expand(self, text: str) -> str:
        """Replace alternatives and named words until none is left."""
        while match := re.search(r"\(([^()]*)\)|<(\w+)>", text):
            options = match[1].split("|") if match[1] is not None else self.words[match[2]]
            text = text[: match.start()] + self.random.choice(options) + text[match.end() :]
        return text

    def verb(self, phrase: str, form: str, many: bool = False) -> str:
        """Inflect the first word of a verb phrase."""
        first, _, rest = phrase.partition(" ")
        past, participle = self.irregular.get(first, [None, None])
        syllables = re.findall(r"[aeiouy]+", first)
        closed = len(syllables) == 1 and re.search(r"[^aeiou][aeiou][bdgklmnprtv]$", "x" + first)
        stem = first + first[-1] if closed or first in DOUBLED else first
        if form == "ing":
            first = first[:-2] + "ying" if first.endswith("ie") else stem.removesuffix("e") + "ing"
            if phrase.split()[0].endswith(("ee", "ye", "oe")):
                first = phrase.split()[0] + "ing"
            if phrase.split()[0] == "be":
                first = "being"
        elif form in ("past", "pp"):
            regular = stem + ("d" if stem.endswith("e") else "ed")
            if re.search(r"[^aeiou]y$", first):
                regular = first[:-1] + "ied"
            first = (past if form == "past" else participle) or regular
        elif form == "s" and not many:
            if first in ("have", "be"):
                first = {"have": "has", "be": "is"}[first]
            elif re.search(r"[^aeiou]y$", first):
                first = first[:-1] + "ies"
            else:
                first += "es" if re.search(r"(s|x|z|ch|sh|o)$", first) else "s"
        return f"{first} {rest}".strip()

    def somebody(self, kind: str) -> Somebody:
        """Draw whom the sentence is about: a class of [people], or a noun phrase."""
        if kind not in self.people:
            name = self.expand(self.random.choice(split(kind)))
            return Somebody(name, "their" if plural(name) else "its", plural(name))
        name, possessive = self.random.choice(self.people[kind])
        name = self.expand(name)
        return Somebody(
            name,
            self.expand(possessive).removesuffix("_one"),
            possessive in ("their", "our", "my", "your"),
        )

    def sentence(self, domain: Domain) -> str:
        """Draw a frame and a row, and fill one with the other."""
        frame = self.expand(self.random.choice(domain.frames))
        row = dict(zip(domain.columns, self.random.choice(domain.rows), strict=False))
        needed = {match[1] for match in re.finditer(r"\{(\w+)", frame)} - {"S", "K"}
        if any(not row.get(column) for column in needed):
            return ""
        chosen = {c: self.expand(self.random.choice(split(row[c]))) for c in sorted(needed)}
        person = re.search(r"\{([SK])\b", frame)
        kind = row.get("who") or "any"
        if person and person[1] == "K":
            if kind not in self.people or kind in ANIMALS:
                return ""
            kind = "known"
        about = self.somebody(kind) if person else None

        def fill(match: re.Match) -> str:
            name, form = match[1], match[2]
            if name in "SK":
                if form is None:
                    return about.name
                if about.name == "I" and form in ("is", "was"):
                    return {"is": "am", "was": "was"}[form]
                return AGREEMENT[form] if about.many else form
            value = chosen[name]
            if form in ("is", "was", "has", "does"):
                return AGREEMENT[form] if plural(value) else form
            return self.verb(value, form, bool(about and about.many)) if form else value

        text = re.sub(r"\{(\w+)(?:\.(\w+))?\}", fill, frame)
        if "~" in text:
            first = next((word for word in re.findall(r"\w+", frame) if word in SUBJECT_OF), None)
            text = text.replace("~", about.possessive if about else SUBJECT_OF.get(first, "your"))
        return finish(self.expand(text), domain.end)

    def sentences(self, number: int) -> list[str]:
        """Draw ``number`` sentences, all different; fewer if the tables hold no more."""
        found: dict[str, str] = {}
        taken = course_sentences()
        domains = list(self.domains)
        while domains and len(found) < number:
            (domain,) = self.random.choices(domains, [domain.weight for domain in domains])
            text = self.sentence(domain)
            key = letters(text)
            if (
                key not in found
                and key not in taken
                and MIN_WORDS <= len(text.split()) <= MAX_WORDS
            ):
                found[key] = text
                domain.in_a_row = 0
                continue
            domain.in_a_row += 1
            if domain.in_a_row > TIRED:
                domains.remove(domain)
        drawn = list(found.values())
        self.random.shuffle(drawn)
        return drawn


def lines(text: str) -> list[str]:
    """The lines of a table that are not empty."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def letters(text: str) -> str:
    """A sentence's letters and digits, in lower case: what makes it the same sentence."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


def course_sentences() -> set[str]:
    """The sentences and questions of the course's own data, as ``letters`` has them."""
    tables = [*COURSE.glob("sentences/*.tsv"), *COURSE.glob("questions/*.tsv")]
    return {
        letters(cell)
        for table in tables
        for cell in re.split(r"[\t\n]", table.read_text(encoding="utf-8"))
    }


def finish(text: str, end: str) -> str:
    """Single spaces, "an" before a vowel, a capital and a full stop."""
    text = re.sub(r"\s+", " ", text).strip()
    text = re.sub(r"\s+([,.?!])", r"\1", text)
    text = re.sub(
        r"\b([Aa])n? (?=[aeiouAEIOU]|hour|honest)(?!uni|use|one|once|eu|Euro|U)", r"\1n ", text
    )
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "?", "!")) else text + end


def main() -> None:
    """Print the sentences."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sentences", type=int, default=250_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--frames", type=Path, help="a file of frames, instead of the domains")
    options = parser.parse_args()
    tables = tomllib.loads(TABLES.read_text(encoding="utf-8"))
    if options.frames:
        tables["domain"] = [{"frames": options.frames.read_text(encoding="utf-8")}]
    writer = Writer(tables, options.seed)
    print("\n".join(writer.sentences(options.sentences)))


if __name__ == "__main__":
    main()

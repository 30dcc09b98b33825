"""Find what is wrong with a submitted notebook, and repair it from the release without changing an answer.

Colab and editors strip metadata, learners delete, copy and move cells, files are renamed or truncated. The
repaired notebook is the release with the learner's answers in their places and the learner's own cells where
they were; every repair is reported. An answer cell that was turned into text by accident (the key M or R)
becomes code again, unless a code cell answers the same exercise.
"""

import ast
import copy
import difflib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from siamese_course.grading.cells import (
    LAST_RESULT,
    Release,
    bound,
    grade_id,
    parsed,
    python_of,
    release,
)
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError

# Similarity from which a cell counts as the release's cell with its id
MIN_SIMILARITY = 0.75
# Unreadable cells of a damaged file after which the rest is skipped
MAX_BROKEN_CELLS = 200
KINDS = {"code": "code", "markdown": "markdown", "heading": "markdown", "raw": "raw"}
KEYS = "cell_type|attachments|execution_count|id|metadata|source|outputs|input|collapsed|level"
CELL = re.compile(rf'\{{\s*"(?:{KEYS})"')
OF_CHECK = re.compile(r"\bexercises\.(\w+)\.(check|use|hint|solution)\(")
WORD = re.compile(r"\w+|[^\w\s]")
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Checked:
    """An examined submission: which notebook it is, its repaired contents, and what was found."""

    name: str
    notebook: dict
    found: list[str] = field(default_factory=list)
    unanswered: list[str] = field(default_factory=list)


@dataclass
class Piece:
    """A cell of the submission; ``name`` is that of an answer or a check."""

    kind: str
    source: str
    name: str | None
    id: str | None

    @cached_property
    def defined(self) -> dict[str, int]:
        """What it defines at its top level, if it is Python: see ``defined``."""
        return defined(self.source) if self.kind == "code" or parsed(python_of(self.source)) else {}

    @property
    def calls_check(self) -> re.Match | None:
        """The match where it calls a check or asks for a hint."""
        return OF_CHECK.search(self.source) if self.kind == "code" else None

    @property
    def helps(self) -> bool:
        """Whether it binds a name, such as a helper's, and not only to what a check or ``use`` returns."""
        text = python_of(self.source)
        tree = parsed(text) or ast.Module([], [])
        calls = [n for n in tree.body if _root(getattr(n, "value", None)) == "exercises"]
        nodes = [node for call in calls for node in ast.walk(call) if isinstance(node, ast.Name)]
        returned = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
        return bool(self.defined or bound(text) - returned - {LAST_RESULT})


def check(data: bytes, file: str) -> Checked:
    """Examine a submission and repair it.

    Args:
        data: contents of a notebook file.
        file: its name.

    Raises:
        CourseError: it cannot be read, or is not a notebook of this course.
    """
    found: list[str] = []
    pieces, metadata = read(data, file, found)
    name = recognize(pieces, metadata or {})
    if name is None:
        raise CourseError(f"{file} contains no answer and no check of this course.")
    if Path(file).stem != name:
        found.append(f"The file is called {file}; its cells are those of {name}.ipynb.")
    ours = release(name)
    stated = (metadata or {}).get("siamese_course")
    if metadata is not None and not (stated and isinstance(stated, dict)):
        found.append("The notebook's own metadata is missing (Colab and some editors remove it).")
    elif stated and stated != ours.notebook["metadata"]["siamese_course"]:
        found.append(
            "It was made from another release of the course; its answers were copied into this one."
        )
    repaired, unanswered = repair(pieces, ours, found)
    return Checked(name, repaired, found, unanswered)


def read(data: bytes, file: str, found: list[str]) -> tuple[list[Piece], dict | None]:
    """Return the cells of a notebook file and its metadata (None if damaged); add to ``found``."""
    encoding = json.detect_encoding(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        found.append("Some characters of the file cannot be read and were replaced by �.")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError):
        notebook = {"cells": list(_whole_cells(text)), "metadata": None}
        if not notebook["cells"]:
            raise CourseError(
                f"{file} is damaged or not a notebook: no cell can be read."
            ) from None
        found.append(
            f"The file is damaged or truncated: {len(notebook['cells'])} cells can be read, the rest is lost."
        )
    notebook = _dict(notebook)
    if "cells" not in notebook:  # a reply of Jupyter's server may hold it
        notebook = _dict(notebook.get("content")) or notebook
    cells = notebook.get("cells")
    if isinstance(sheets := notebook.get("worksheets"), list):
        found.append("The file has a format from before 2015; it was converted.")
        sheets = [_dict(sheet).get("cells") for sheet in sheets]
        cells = [cell for sheet in sheets if isinstance(sheet, list) for cell in sheet]
    if not isinstance(cells, list):
        raise CourseError(f"{file} is not a notebook: it has no cells.")
    pieces = [piece for piece in map(_piece, cells) if piece]
    if lost := len(cells) - len(pieces):
        found.append(f"{lost} cell(s) are damaged and were left out.")
    metadata = notebook.get("metadata", {})
    return pieces, metadata if metadata is None else _dict(metadata)


def _dict(value: object) -> dict:
    return value if isinstance(value, dict) else {}


def _piece(cell: object) -> Piece | None:
    """A cell of a file as a Piece, or None if it is damaged."""
    cell = _dict(cell)
    kind, own_id = cell.get("cell_type"), cell.get("id")
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    if not isinstance(kind, str) or kind not in KINDS or not isinstance(source, str):
        return None
    if kind == "heading":  # of a file from before 2015: its level stands beside the words
        level = cell.get("level")
        if not (isinstance(level, int) and 1 <= level <= 6):
            level = 1
        source = "#" * level + f" {source}"
    name = grade_id({"metadata": _dict(cell.get("metadata"))})
    return Piece(KINDS[kind], source, name, own_id if isinstance(own_id, str) else None)


def _whole_cells(text: str) -> Iterator[dict]:
    """Yield every intact cell of a truncated or damaged file."""
    decoder, position, broken = json.JSONDecoder(), 0, 0
    while broken < MAX_BROKEN_CELLS and (match := CELL.search(text, position)):
        try:
            cell, position = decoder.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            position, broken = match.start() + 1, broken + 1
            continue
        if "cell_type" in cell and ("source" in cell or "input" in cell):
            yield cell


def recognize(pieces: list[Piece], metadata: dict) -> str | None:
    """Return the name of the course's notebook that most of its names and functions belong to, or None.

    Names like ``loss`` and functions like ``predict`` occur in other notebooks, too: they count only beside
    something of this course, or if there is at least half of what a notebook asks for.
    """
    code = [piece for piece in pieces if piece.kind == "code"]
    ids = {piece.name for piece in code}
    texts = {_plain(piece.source) for piece in code}
    functions = {name for piece in code for name in piece.defined}
    ours = "siamese_course" in metadata or any("siamese_course" in c.source for c in code)

    def score(name: str) -> int:
        wanted = {each for names in release(name).functions.values() for each in names}
        cells = release(name).notebook["cells"]
        checks = {grade_id(cell): _plain(cell["source"]) for cell in cells if _is_check(cell)}
        kept = ours + len(ids & checks.keys()) + len(texts & set(checks.values()))
        answered = len(functions & wanted)
        enough = kept or 2 * answered >= len(wanted)
        return (kept + answered + len(ids & release(name).stubs.keys())) if enough else 0

    best = max(NAMES, key=score)
    return best if score(best) >= 2 else None


def _is_check(cell: dict) -> bool:
    return (grade_id(cell) or "").endswith("-check")


def _plain(source: str) -> str:
    """A text for comparison, without the line endings that editors change."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines())


def _root(node: ast.AST | None) -> str | None:
    """The first name of an expression such as ``exercises.loss.use(f)``."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def defined(source: str) -> dict[str, int]:
    """Return what a cell defines at its top level: functions with 2, assigned names with 1.

    ``f = exercises.x.use(f)`` defines nothing.
    """
    tree = parsed(python_of(source))
    if tree is None:
        return dict.fromkeys(re.findall(r"^(?:async +)?def +(\w+)", source, re.MULTILINE), 2)
    names: dict[str, int] = {}
    for node in tree.body:
        if isinstance(node, FUNCTION | ast.ClassDef):
            names[node.name] = 2
        elif isinstance(node, ast.Assign) and _root(node.value) != "exercises":
            strength = 2 if isinstance(node.value, ast.Lambda) else 1
            targets = [target.id for target in node.targets if isinstance(target, ast.Name)]
            names |= dict.fromkeys(targets, strength)
    return names


def begun(source: str, functions: Iterable[str]) -> bool:
    """Return whether there is more than in a stub, which has comments and ``raise NotImplementedError``."""
    tree = parsed(python_of(source))
    if tree is None:
        return bool(source.strip())
    bodies = [n.body for n in tree.body if isinstance(n, FUNCTION) and n.name in functions]
    return any(not _idle(node) for body in bodies or [tree.body] for node in body)


def _idle(node: ast.stmt) -> bool:
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    stub = isinstance(node, ast.Raise) and _root(node.exc) == "NotImplementedError"
    return words or stub or isinstance(node, ast.Pass)


@dataclass
class Placed:
    """A submission's cells, and where they belong in the release.

    Args:
        pieces: the submission's cells.
        theirs: those of the release.
        slots: the name of the answer cell of each function.
        origin: for each place of a learner's cell that is one of the release, its number there.
        answers: for each answer cell, the place of the cell that answers it.
        rivals: for each answer cell, all places where an answer was found.
    """

    pieces: list[Piece]
    theirs: list[dict]
    slots: dict[str, str]
    origin: dict[int, int] = field(default_factory=dict)
    answers: dict[str, int] = field(default_factory=dict)
    rivals: dict[str, list[int]] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The numbers of the release's answers and checks by their names."""
        return {name: n for n, cell in enumerate(self.theirs) if (name := grade_id(cell))}

    @cached_property
    def wanted(self) -> dict[str, list[str]]:
        """The functions of each answer cell."""
        wanted: dict[str, list[str]] = {}
        for function, slot in self.slots.items():
            wanted.setdefault(slot, []).append(function)
        return wanted

    def made(self, place: int) -> set[str]:
        """Return the answer cells whose functions a learner's cell defines."""
        return {self.slots[name] for name in self.pieces[place].defined if name in self.slots}


def repair(pieces: list[Piece], ours: Release, found: list[str]) -> tuple[dict, list[str]]:
    """Put the learner's answers and own cells into the release.

    Returns:
        (notebook, names of the answer cells without any work in them)
    """
    slots = {
        function: slot
        for slot, stub in ours.stubs.items()
        for function in defined(stub)
        if function in ours.functions[slot.split("-")[0]]
    }
    placed = Placed(pieces, copy.deepcopy(ours.notebook["cells"]), slots)
    match(placed)
    choose(placed)
    _report_answers(placed, found)
    _report_cells(placed, found)
    _in_their_order(placed)
    own = _own_cells(placed)
    unanswered, rebuilt = [], own.get(-1, [])
    for number, cell in enumerate(placed.theirs):
        slot = grade_id(cell)
        if slot in placed.answers:
            cell["source"] = pieces[placed.answers[slot]].source
        if slot in ours.stubs and not begun(cell["source"], placed.wanted[slot]):
            unanswered.append(slot)
        rebuilt += [cell, *own.get(number, [])]
    return ours.notebook | {"cells": rebuilt}, unanswered


def match(placed: Placed) -> None:
    """Find the release's cell for each learner's cell: by its text, or by its id if it is similar.

    A check is also recognized by its call. Cells that may contain an answer are left to ``choose``.
    """
    theirs = placed.theirs
    ids = {cell["id"]: number for number, cell in enumerate(theirs)}
    texts = {_plain(cell["source"]): number for number, cell in enumerate(theirs)}
    for place, piece in enumerate(placed.pieces):
        number = texts.get(_plain(piece.source))
        if number is None and not placed.made(place):
            call = piece.calls_check
            if call and call[2] == "check":
                number = placed.numbers.get(f"{call[1]}-check")
            if number is None and piece.id in ids:
                similar = _similar(piece.source, theirs[ids[piece.id]]["source"])
                number = ids[piece.id] if similar else None
        if number is not None and grade_id(theirs[number]) not in placed.wanted:
            placed.origin[place] = number


def _similar(one: str, other: str) -> bool:
    matcher = difflib.SequenceMatcher(None, WORD.findall(one), WORD.findall(other), autojunk=False)
    ways = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)  # from quick to exact
    return all(way() >= MIN_SIMILARITY for way in ways)


def choose(placed: Placed) -> None:
    """Find the place of each answer: of the cells with its name or its function, the last with work in it.

    Code is preferred to text, a function to another value, and a cell of its own to the answer of another
    exercise, which may define the function again as a helper.
    """
    for slot, functions in placed.wanted.items():
        ranks = {}
        for place, piece in enumerate(placed.pieces):
            strength = max(piece.defined.get(function, 0) for function in functions)
            if place in placed.origin or not (strength or piece.name == slot):
                continue
            foreign = piece.name != slot and piece.name in placed.numbers
            code = piece.kind == "code"
            ranks[place] = (begun(piece.source, functions), code, strength, not foreign)
        if ranks:
            best = placed.answers[slot] = max(ranks, key=lambda place: (ranks[place], place))
            placed.rivals[slot] = [place for place in ranks if ranks[place][-1] or place == best]


def _tell(found: list[str], sentence: str, names: Iterable[str]) -> None:
    """Report something of the cells with these names, if there are any."""
    if listed := ", ".join(f"`{name}`" for name in names):
        found.append(sentence.format(listed))


def _report_answers(placed: Placed, found: list[str]) -> None:
    """Report which answers were copied, merged, lost, turned into text, or have lost their names."""
    answers, rivals, pieces = placed.answers, placed.rivals, placed.pieces
    several = [slot for slot in answers if len(rivals[slot]) > 1]
    _tell(
        found, "There is more than one cell for {}; the last one with work in it counts.", several
    )
    for place in dict.fromkeys(answers.values()):
        shared = [slot for slot in answers if answers[slot] == place]
        if len(shared) > 1:
            _tell(found, "One cell answers {}; it was copied to the place of each.", shared)
    texts = [slot for slot in answers if pieces[answers[slot]].kind != "code"]
    _tell(found, "Answers in text cells were converted back to code: {}.", texts)
    missing = [slot for slot in placed.wanted if slot not in answers]
    _tell(found, "Answer cells are missing: {}.", missing)
    nameless = {
        place
        for slot, place in answers.items()
        if not any(pieces[each].name in placed.wanted for each in rivals[slot])
    }
    if nameless:
        found.append(
            f"{len(nameless)} answer cell(s) had lost their names and were recognized by their functions."
        )


def _report_cells(placed: Placed, found: list[str]) -> None:
    """Report which checks were edited, lost or copied, and whether cells were moved."""
    theirs, places, whole = placed.theirs, Counter(placed.origin.values()), set()
    for place, number in placed.origin.items():
        piece = placed.pieces[place]
        if piece.kind == "code" and _plain(piece.source) == _plain(theirs[number]["source"]):
            whole.add(number)
    checks = {n: name for name, n in placed.numbers.items() if name.endswith("-check")}
    for sentence, numbers in (
        ("Missing checks were restored: {}.", checks.keys() - places.keys()),
        ("Changed checks were restored: {}.", places.keys() - whole),
        ("Duplicated checks count once: {}.", {n for n in places if places[n] > 1}),
    ):
        _tell(found, sentence, [checks[n] for n in sorted(numbers & checks.keys())])
    first = {number: place for place, number in reversed(placed.origin.items())}
    for slot, rivals in placed.rivals.items():
        if len(rivals) == 1:
            first[placed.numbers[slot]] = placed.answers[slot]
    in_order = [first[number] for number in sorted(first)]
    if in_order != sorted(in_order):
        found.append("Some cells were in a different order; the release's order was restored.")


def _in_their_order(placed: Placed) -> None:
    """If one cell answers several parts of an exercise, keep the order in which they were written."""
    answers = placed.answers
    for exercise in {slot.split("-")[0] for slot in answers}:
        parts = [slot for slot in answers if slot.split("-")[0] == exercise]
        for part in parts:
            made = placed.made(answers[part])
            if any(answers[each] > answers[part] for each in made & set(parts)):
                answers.update(zip(parts, sorted(answers[p] for p in parts), strict=True))


def _own_cells(placed: Placed) -> dict[int, list[dict]]:
    """The learner's own cells, by the number of the release's cell that they follow.

    A changed cell of the release, or an answer that does not count, is one of them if it binds other names,
    such as a helper or an import. So is a cell with a call of a check or a hint.
    """
    answers, numbers = placed.answers, placed.numbers
    own: dict[int, list[dict]] = {}
    last = -1
    for place, piece in enumerate(placed.pieces):
        if place in answers.values():
            last = min(numbers[slot] for slot in answers if answers[slot] == place)
            continue
        made = placed.made(place)
        if place in placed.origin:
            last = placed.origin[place]
            changed = placed.theirs[last]
            kept = _adds(piece, [changed["source"]]) and (not _is_check(changed) or piece.helps)
        elif made:
            counted = [placed.pieces[answers[slot]].source for slot in made]
            kept = all(place < answers[slot] for slot in made) and _adds(piece, counted)
        else:
            kept = bool(piece.source.strip()) and (not piece.calls_check or piece.helps)
        if kept:
            behind = min([last, *(numbers[slot] - 1 for slot in made)])
            own.setdefault(behind, []).append(_cell(piece, f"own-{place:03}"))
    return own


def _adds(piece: Piece, texts: list[str]) -> bool:
    """Whether a cell binds a name that none of the texts binds."""
    if _plain(piece.source) in map(_plain, texts):
        return False
    names = (bound(python_of(text)) for text in texts)
    return bool(bound(python_of(piece.source)).difference({LAST_RESULT}, *names))


def _cell(piece: Piece, own_id: str) -> dict:
    code: dict = {"execution_count": None, "outputs": []} if piece.kind == "code" else {}
    common = {"cell_type": piece.kind, "id": own_id, "metadata": {}, "source": piece.source}
    return common | code

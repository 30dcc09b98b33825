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
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from siamese_course.grading.cells import (
    MAX_CHARACTERS,
    Release,
    grade_id,
    parsed,
    python_of,
    release,
    text_of,
)
from siamese_course.notebooks.catalog import NAMES
from siamese_course.runtime.errors import CourseError

# Similarity from which a cell counts as the release's cell with its id
MIN_SIMILARITY = 0.75
MAX_FILE_BYTES = 256 << 20
# Unreadable cells of a damaged file after which the rest is skipped
MAX_BROKEN_CELLS = 200
KINDS = {"code": "code", "markdown": "markdown", "heading": "markdown", "raw": "raw"}
KEYS = "cell_type|attachments|execution_count|id|metadata|source|outputs|input|collapsed|level"
CELL = re.compile(rf'\{{\s*"(?:{KEYS})"')
OF_CHECK = re.compile(r"\bexercises\.(\w+)\.(check|use|hint|solution)\(")
WORD = re.compile(r"\w+|[^\w\s]")
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef
SCOPE = FUNCTION | ast.ClassDef | ast.Lambda


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
        return defined(self.source) if self.kind == "code" or _tree(self.source) else {}

    @property
    def calls_check(self) -> re.Match | None:
        """The match where it calls a check or asks for a hint."""
        return OF_CHECK.search(self.source) if self.kind == "code" else None


def check(data: bytes, file: str, name: str | None = None) -> Checked:
    """Examine a submission and repair it.

    Args:
        data: contents of a notebook file.
        file: its name.
        name: which notebook of the course it is; recognized by its contents if not given.

    Raises:
        CourseError: it cannot be read, or is not a notebook of this course.
    """
    found: list[str] = []
    pieces, metadata = read(data, file, found)
    name = name or recognize(pieces, metadata or {})
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
    if len(data) > MAX_FILE_BYTES:
        raise CourseError(f"{file} is larger than {MAX_FILE_BYTES >> 20} MiB.")
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
        checks = {
            grade_id(cell): _plain(text_of(cell))
            for cell in release(name).notebook["cells"]
            if _is_check(cell)
        }
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


def _tree(source: str) -> ast.Module | None:
    """A cell parsed as Python, which may contain magics; None if it cannot be parsed."""
    return parsed(python_of(source)) if len(source) <= MAX_CHARACTERS else None


def _root(node: ast.AST | None) -> str | None:
    """The first name of an expression such as ``exercises.loss.use(f)``."""
    while isinstance(node, ast.Call | ast.Attribute):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


def defined(source: str) -> dict[str, int]:
    """Return what a cell defines at its top level: functions with 2, assigned names with 1.

    ``f = exercises.x.use(f)`` defines nothing.
    """
    tree = _tree(source)
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


def bound(source: str) -> set[str]:
    """Return all names that a cell binds in the notebook, including imports and loops."""
    names = set(defined(source))
    waiting: list[ast.AST | None] = [_tree(source)]
    while waiting:
        for node in ast.iter_child_nodes(waiting.pop() or ast.Pass()):
            if isinstance(node, FUNCTION | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.alias):
                names.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names.add(node.id)
            if not isinstance(node, SCOPE):
                waiting.append(node)
    return names


def begun(source: str, functions: Iterable[str]) -> bool:
    """Return whether there is more than in a stub, which has comments and ``raise NotImplementedError``."""
    tree = _tree(source)
    if tree is None:
        return bool(source.strip())
    bodies = [n.body for n in tree.body if isinstance(n, FUNCTION) and n.name in functions]
    return any(not _idle(node) for body in bodies or [tree.body] for node in body)


def _idle(node: ast.stmt) -> bool:
    words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    stub = isinstance(node, ast.Raise) and _root(node.exc) == "NotImplementedError"
    return words or stub or isinstance(node, ast.Pass)


def repair(pieces: list[Piece], ours: Release, found: list[str]) -> tuple[dict, list[str]]:
    """Put the learner's answers and own cells into the release.

    Returns:
        (notebook, names of the answer cells without any work in them)
    """
    repaired = copy.deepcopy(ours.notebook)
    theirs = repaired["cells"]
    slots = {
        function: slot
        for slot, stub in ours.stubs.items()
        for function in defined(stub)
        if function in ours.functions[slot.split("-")[0]]
    }
    origin = match(pieces, theirs, slots)
    answers, rivals = choose(pieces, theirs, slots, origin)
    _report_answers(pieces, answers, rivals, slots, found)
    _report_cells(pieces, theirs, origin, answers, rivals, found)
    _in_their_order(pieces, answers, slots)
    own = _own_cells(pieces, theirs, origin, answers, slots)
    unanswered, rebuilt = [], own.get(-1, [])
    for number, cell in enumerate(theirs):
        slot = grade_id(cell)
        if slot in answers:
            cell["source"] = pieces[answers[slot]].source
        if slot in ours.stubs and not begun(text_of(cell), _of(slots, slot)):
            unanswered.append(slot)
        rebuilt += [cell, *own.get(number, [])]
    repaired["cells"] = rebuilt
    return repaired, unanswered


def _of(slots: dict[str, str], slot: str) -> list[str]:
    return [function for function, each in slots.items() if each == slot]


def match(pieces: list[Piece], theirs: list[dict], slots: dict[str, str]) -> dict[int, int]:
    """Return the release's cell for each learner's cell: by its text, or by its id if it is similar.

    A check is also recognized by its call. Cells that may contain an answer are left to ``choose``.
    """
    names = {grade_id(cell): number for number, cell in enumerate(theirs)}
    ids = {cell["id"]: number for number, cell in enumerate(theirs)}
    texts = {_plain(text_of(cell)): number for number, cell in enumerate(theirs)}
    origin = {}
    for place, piece in enumerate(pieces):
        number = texts.get(_plain(piece.source))
        if number is None and not slots.keys() & piece.defined.keys():
            call = piece.calls_check
            if call and call[2] == "check":
                number = names.get(f"{call[1]}-check")
            if number is None and piece.id in ids:
                similar = _similar(piece.source, text_of(theirs[ids[piece.id]]))
                number = ids[piece.id] if similar else None
        if number is not None and grade_id(theirs[number]) not in slots.values():
            origin[place] = number
    return origin


def _similar(one: str, other: str) -> bool:
    matcher = difflib.SequenceMatcher(None, WORD.findall(one), WORD.findall(other), autojunk=False)
    ways = (matcher.real_quick_ratio, matcher.quick_ratio, matcher.ratio)  # from quick to exact
    return all(way() >= MIN_SIMILARITY for way in ways)


def choose(
    pieces: list[Piece], theirs: list[dict], slots: dict[str, str], origin: dict[int, int]
) -> tuple[dict[str, int], dict[str, list[int]]]:
    """Return the place of each answer: of the cells with its name or its function, the last with work in it.

    Code is preferred to text, a function to another value, and a cell of its own to the answer of another
    exercise, which may define the function again as a helper.

    Returns:
        (the place of each answer, all places where an answer was found)
    """
    names = {grade_id(cell) for cell in theirs} - {None}
    answers, rivals = {}, {}
    for slot in dict.fromkeys(slots.values()):
        functions, ranks = _of(slots, slot), {}
        for place, piece in enumerate(pieces):
            strength = max(piece.defined.get(function, 0) for function in functions)
            if place in origin or not (strength or piece.name == slot):
                continue
            code, foreign = piece.kind == "code", piece.name in names - {slot}
            ranks[place] = (begun(piece.source, functions), code, strength, not foreign)
        if ranks:
            best = answers[slot] = max(ranks, key=lambda place: (ranks[place], place))
            rivals[slot] = [place for place in ranks if ranks[place][-1] or place == best]
    return answers, rivals


def _report_answers(
    pieces: list[Piece],
    answers: dict[str, int],
    rivals: dict[str, list[int]],
    slots: dict[str, str],
    found: list[str],
) -> None:
    """Report which answers were copied, merged, lost, turned into text, or have lost their names."""
    places = list(dict.fromkeys(answers.values()))
    shared = [[slot for slot in answers if answers[slot] == place] for place in places]
    nameless = {
        place
        for slot, place in answers.items()
        if not any(pieces[each].name in slots.values() for each in rivals[slot])
    }
    for affected, sentence in (
        (
            [slot for slot in answers if len(rivals[slot]) > 1],
            "There is more than one cell for {}; the last one with work in it counts.",
        ),
        *(
            (each, "One cell answers {}; it was copied to the place of each.")
            for each in shared
            if len(each) > 1
        ),
        (
            [slot for slot in answers if pieces[answers[slot]].kind != "code"],
            "Answers in text cells were converted back to code: {}.",
        ),
        (
            [slot for slot in dict.fromkeys(slots.values()) if slot not in answers],
            "Answer cells are missing: {}.",
        ),
    ):
        if affected:
            found.append(sentence.format(_list(affected)))
    if nameless:
        found.append(
            f"{len(nameless)} answer cell(s) had lost their names and were recognized by their functions."
        )


def _list(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _report_cells(
    pieces: list[Piece],
    theirs: list[dict],
    origin: dict[int, int],
    answers: dict[str, int],
    rivals: dict[str, list[int]],
    found: list[str],
) -> None:
    """Report which checks were edited, lost or copied, and whether cells were moved."""
    places: dict[int, list[int]] = {}
    for place, number in origin.items():
        places.setdefault(number, []).append(place)
    checks = {number: cell for number, cell in enumerate(theirs) if _is_check(cell)}
    whole = {
        number
        for place, number in origin.items()
        if pieces[place].kind == "code"
        and _plain(pieces[place].source) == _plain(text_of(theirs[number]))
    }
    copied = {number for number in places if len(places[number]) > 1}
    for numbers, sentence in (
        (checks.keys() - places.keys(), "Missing checks were restored: {}."),
        (places.keys() - whole, "Changed checks were restored: {}."),
        (copied, "Duplicated checks count once: {}."),
    ):
        if affected := [str(grade_id(checks[n])) for n in sorted(numbers & checks.keys())]:
            found.append(sentence.format(_list(affected)))
    first = {number: min(each) for number, each in places.items()}
    for number, cell in enumerate(theirs):
        slot = grade_id(cell) or ""
        if len(rivals.get(slot, [])) == 1:
            first[number] = answers[slot]
    in_order = [first[number] for number in sorted(first)]
    if in_order != sorted(in_order):
        found.append("Some cells were in a different order; the release's order was restored.")


def _in_their_order(pieces: list[Piece], answers: dict[str, int], slots: dict[str, str]) -> None:
    """If one cell answers several parts of an exercise, keep the order in which they were written."""
    for exercise in {slot.split("-")[0] for slot in answers}:
        parts = [slot for slot in answers if slot.split("-")[0] == exercise]
        for part in parts:
            made = {slots[name] for name in pieces[answers[part]].defined if name in slots}
            if any(answers[each] > answers[part] for each in made & set(parts)):
                answers.update(zip(parts, sorted(answers[p] for p in parts), strict=True))


def _own_cells(
    pieces: list[Piece],
    theirs: list[dict],
    origin: dict[int, int],
    answers: dict[str, int],
    slots: dict[str, str],
) -> dict[int, list[dict]]:
    """The learner's own cells, by the number of the release's cell that they follow.

    A changed cell of the release, or an answer that does not count, is one of them if it binds other names,
    such as a helper or an import.
    """
    numbers = {grade_id(cell) or "": number for number, cell in enumerate(theirs)}
    own: dict[int, list[dict]] = {}
    last = -1
    for place, piece in enumerate(pieces):
        if place in answers.values():
            last = min(numbers[slot] for slot in answers if answers[slot] == place)
            continue
        made = {slots[name] for name in piece.defined if name in slots}
        if place in origin:
            last = origin[place]
            kept = not _is_check(theirs[last]) and _adds(piece, [text_of(theirs[last])])
        elif made:
            counted = [pieces[answers[slot]].source for slot in made]
            kept = all(place < answers[slot] for slot in made) and _adds(piece, counted)
        else:
            kept = bool(piece.source.strip()) and not piece.calls_check
        if kept:
            behind = min([last, *(numbers[slot] - 1 for slot in made)])
            own.setdefault(behind, []).append(_cell(piece, f"own-{place:03}"))
    return own


def _adds(piece: Piece, texts: list[str]) -> bool:
    """Whether a cell binds a name that none of the texts binds."""
    if _plain(piece.source) in map(_plain, texts):
        return False
    return bool(bound(piece.source).difference(*map(bound, texts)))


def _cell(piece: Piece, own_id: str) -> dict:
    code: dict = {"execution_count": None, "outputs": []} if piece.kind == "code" else {}
    common = {"cell_type": piece.kind, "id": own_id, "metadata": {}, "source": piece.source}
    return common | code

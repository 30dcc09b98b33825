"""Submissions as they come back: whatever was done to the file, the answers are found and nothing is made up."""

import contextlib
import copy
import json
import random
import re
import time
from unittest.mock import MagicMock

import nbformat
import pytest

from siamese_course.grading import preflight, reading
from siamese_course.grading.cells import code_cells, grade_id, needed, release
from siamese_course.notebooks.catalog import NAMES, SOLUTIONS
from siamese_course.runtime.errors import CourseError

FIRST, SECOND, THIRD = NAMES[:3]
STUB = '    # YOUR CODE HERE\n    raise NotImplementedError("not attempted")'


def solved(name=FIRST) -> dict:
    """The release with right answers and their outputs, as a learner's Jupyter would save it."""
    notebook = json.loads((SOLUTIONS / f"{name}.ipynb").read_text("utf-8"))
    for cell, theirs in zip(notebook["cells"], handed_out(name)["cells"], strict=True):
        cell |= {"source": text_of(cell), "metadata": theirs["metadata"]}
    return notebook


def text_of(cell) -> str:
    """The source, which a file may hold as a list of lines."""
    return "".join(cell["source"])


def handed_out(name=FIRST) -> dict:
    return copy.deepcopy(release(name).notebook)


def code(source, named=None) -> dict:
    """A new code cell, which may have the name of another one."""
    metadata = {"nbgrader": {"grade_id": named}} if named else {}
    return {"cell_type": "code", "metadata": metadata, "outputs": [], "source": source}


def words(source) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def place_of(notebook, name) -> int:
    return next(n for n, cell in enumerate(notebook["cells"]) if grade_id(cell) == name)


def cell_of(notebook, name) -> dict:
    return notebook["cells"][place_of(notebook, name)]


def insert(notebook, name, *cells, behind=True) -> None:
    """Put cells behind the one of that name, or before it."""
    place = place_of(notebook, name) + behind
    notebook["cells"][place:place] = cells


def answers(notebook, name=FIRST) -> dict[str, str]:
    """The text of each answer cell; all are there, once."""
    named = [cell for cell in notebook["cells"] if grade_id(cell) in release(name).stubs]
    found = {grade_id(cell): text_of(cell) for cell in named}
    assert [grade_id(cell) for cell in named] == list(release(name).stubs)
    return found


def dumped(notebook) -> bytes:
    return json.dumps(notebook).encode()


def submit(notebook, file=f"{FIRST}.ipynb") -> preflight.Checked:
    """Check a notebook, or the bytes of a file; what holds of all of them is asserted here."""
    data = notebook if isinstance(notebook, bytes) else dumped(notebook)
    checked = preflight.check(data, file)
    is_the_release_but_for_answers(checked)
    for sentence in checked.found:
        assert re.fullmatch(r"[A-Z0-9].{10,500}\.", sentence), sentence
        assert not re.search(r"\w+Error|JSON|Traceback|None|[{\[]|\bchar\b", sentence), sentence
    return checked


def is_the_release_but_for_answers(checked) -> None:
    ours, repaired = release(checked.name), checked.notebook
    ids = [cell["id"] for cell in repaired["cells"]]
    assert len(set(ids)) == len(ids)
    kept = [cell for cell in repaired["cells"] if not cell["id"].startswith("own-")]
    for cell, theirs in zip(kept, ours.notebook["cells"], strict=True):
        answered = {"source": theirs["source"]} if grade_id(theirs) in ours.stubs else {}
        assert cell | answered == theirs
    assert repaired | {"cells": []} == ours.notebook | {"cells": []}


def own(checked) -> list[str]:
    """The learner's own cells in the repaired notebook."""
    return [c["source"] for c in checked.notebook["cells"] if c["id"].startswith("own-")]


def tells(checked, *fragments) -> bool:
    """Whether there is one finding for each fragment, and no other."""
    left = list(checked.found)
    for fragment in fragments:
        matches = [each for each in left if fragment in each]
        assert matches, f"{fragment!r} is not in {left}"
        left.remove(matches[0])
    assert not left
    return True


def run(checked) -> dict:
    """The names that the answers and the learner's own cells bind, run in order as the grader does."""
    own_or_answer = {
        number
        for number, cell in enumerate(checked.notebook["cells"])
        if cell["id"].startswith("own-") or grade_id(cell)
    }
    names = {"exercises": MagicMock()}  # calls of checks do nothing
    for cell in needed(code_cells(checked.notebook)):
        if cell.number in own_or_answer:
            with contextlib.suppress(Exception):
                exec(cell.source, names)
    return names


# --- in order ---


@pytest.mark.parametrize("name", NAMES)
def test_an_intact_notebook_has_no_findings(name):
    checked = submit(solved(name), f"{name}.ipynb")
    assert (checked.name, checked.found, checked.unanswered) == (name, [], [])
    assert answers(checked.notebook, name) == answers(solved(name), name)
    assert own(checked) == []
    nbformat.validate(checked.notebook)


@pytest.mark.parametrize("name", NAMES)
def test_the_notebook_as_handed_out_is_in_order_and_unanswered(name):
    checked = submit(handed_out(name), f"{name}.ipynb")
    assert (checked.found, checked.unanswered) == ([], list(release(name).stubs))
    assert answers(checked.notebook, name) == release(name).stubs


@pytest.mark.parametrize("name", NAMES)
def test_a_repaired_notebook_is_in_order_and_stays_as_it_is(name):
    notebook = solved(name)
    for damage in (own_cells, strip_all, backwards):
        damage(notebook, release(name).stubs)
    once = submit(notebook, f"{name}.ipynb")
    nbformat.validate(once.notebook)
    again = submit(once.notebook, f"{name}.ipynb")
    assert again.found == []
    assert own(again) == own(once)
    assert answers(again.notebook, name) == answers(solved(name), name)


@pytest.mark.parametrize(
    "source",
    [
        "",
        "   \n",
        "# later\n",
        '"""Words."""',
        "pass",
        'def euclidean_distance(left, right):\n    """Mine."""\n    raise NotImplementedError',
    ],
)
def test_an_answer_in_which_nothing_was_begun_is_unanswered(source):
    notebook = solved()
    cell_of(notebook, "distance")["source"] = source
    checked = submit(notebook)
    assert (checked.found, checked.unanswered) == ([], ["distance"])
    assert answers(checked.notebook)["distance"] == source


# --- one damage: each is done to a notebook of right answers, in place ---


def strip_metadata(notebook, stubs):
    notebook["metadata"] = {}
    for cell in notebook["cells"]:
        cell["metadata"] = {}


def strip_all(notebook, stubs):
    """What Colab leaves."""
    for number, cell in enumerate(notebook["cells"]):
        cell.pop("id", None)
        cell["metadata"] = {"id": f"Zx{number:010}"}
    notebook |= {"nbformat_minor": 0, "metadata": {"colab": {"provenance": []}}}


def strip_names(notebook, stubs):
    for cell in notebook["cells"]:
        cell["metadata"].pop("nbgrader", None)


def lists_of_lines(notebook, stubs):
    for cell in notebook["cells"]:
        cell["source"] = text_of(cell).splitlines(keepends=True)


def other_ends_of_lines(notebook, stubs):
    for cell in notebook["cells"]:
        cell.pop("id", None)
        if grade_id(cell) not in stubs:
            cell["source"] = text_of(cell).replace("\n", " \r\n")


def new_ids(notebook, stubs):
    for number, cell in enumerate(notebook["cells"]):
        cell["id"] = f"{random.Random(number).getrandbits(32):08x}"


def another_release(notebook, stubs):
    notebook["metadata"]["siamese_course"]["source_sha256"] = "0" * 64
    notebook["cells"][1]["source"] = [text_of(notebook["cells"][1]), "\nMore words."]


def checks_twice(notebook, stubs):
    for cell in checks(notebook)[:2]:
        insert(notebook, grade_id(cell), copy.deepcopy(cell))


def checks_with_other_names(notebook, stubs):
    for number, cell in enumerate(checks(notebook)[:2]):
        notebook["cells"].append(code(text_of(cell), f"my-check-{number}"))


def checks_deleted(notebook, stubs):
    for cell in checks(notebook)[:2]:
        notebook["cells"].remove(cell)


def checks_edited(notebook, stubs):
    for cell in checks(notebook)[:2]:
        cell["source"] = "print('mine')\n" + text_of(cell) + "  # 10 points"


def checks_emptied(notebook, stubs):
    for cell in checks(notebook)[:2]:
        cell["source"] = ""


def checks_as_text(notebook, stubs):
    for cell in checks(notebook)[:2]:
        cell["cell_type"] = "markdown"


def answers_twice(notebook, stubs):
    for cell in filled(notebook, stubs):
        insert(notebook, grade_id(cell), copy.deepcopy(cell))


def older_answers_before(notebook, stubs):
    for cell in filled(notebook, stubs):
        older = re.sub(
            r"(?m)^def (?!normalize).*\n(?:.*\n\):\n)?", r"\g<0>    old = 1\n", cell["source"]
        )
        assert older != cell["source"]
        insert(notebook, grade_id(cell), cell | {"source": older}, behind=False)


def stubs_behind_answers(notebook, stubs):
    for cell in filled(notebook, stubs):
        insert(notebook, grade_id(cell), cell | {"source": stubs[grade_id(cell)]})


def answers_in_new_cells(notebook, stubs):
    for cell in filled(notebook, stubs):
        insert(notebook, grade_id(cell), code(cell["source"]))
        cell["source"] = stubs[grade_id(cell)]


def answers_at_the_end(notebook, stubs):
    for cell in filled(notebook, stubs):
        notebook["cells"].append(code(cell["source"]))
        cell["source"] = stubs[grade_id(cell)].replace("# YOUR CODE HERE", "# see below")


def answers_before_everything(notebook, stubs):
    for cell in reversed(filled(notebook, stubs)):
        notebook["cells"].insert(0, code(cell["source"]))
        cell["source"] = stubs[grade_id(cell)]


def answers_instead_of_stubs(notebook, stubs):
    for cell in filled(notebook, stubs):
        notebook["cells"][place_of(notebook, grade_id(cell))] = code(cell["source"])


def answers_as_markdown(notebook, stubs):
    for cell in filled(notebook, stubs):
        cell["cell_type"] = "markdown"


def answers_as_raw_text(notebook, stubs):
    for cell in filled(notebook, stubs):
        cell["cell_type"] = "raw"


def answers_as_text_and_the_stubs_again(notebook, stubs):
    for cell in filled(notebook, stubs):
        insert(notebook, grade_id(cell), cell | {"source": stubs[grade_id(cell)]})
        cell["cell_type"] = "raw"


def older_answers_as_text(notebook, stubs):
    for cell in filled(notebook, stubs):
        insert(
            notebook,
            grade_id(cell),
            cell | {"source": f"old = 1\n{cell['source']}", "cell_type": "raw"},
        )


def all_twice(notebook, stubs):
    notebook["cells"] += copy.deepcopy(notebook["cells"])


def release_behind(notebook, stubs):
    notebook["cells"] += handed_out(name_of(stubs))["cells"]


def release_before(notebook, stubs):
    notebook["cells"][:0] = handed_out(name_of(stubs))["cells"]


def backwards(notebook, stubs):
    notebook["cells"].reverse()


def exercises_swapped(notebook, stubs):
    """The first two, each from its answer to its check."""
    cells, (one, two) = notebook["cells"], [grade_id(cell) for cell in checks(notebook)[:2]]
    start, middle, end = (place_of(notebook, name) for name in (next(iter(stubs)), one, two))
    cells[start : end + 1] = cells[middle + 1 : end + 1] + cells[start : middle + 1]


def answers_swapped(notebook, stubs):
    cells, (one, two) = notebook["cells"], [place_of(notebook, slot) for slot in list(stubs)[:2]]
    cells[one], cells[two] = cells[two], cells[one]


def only_answers(notebook, stubs):
    notebook["cells"] = filled(notebook, stubs)


def only_functions(notebook, stubs):
    """Copied by hand into a new notebook."""
    cells = [code(cell["source"]) for cell in filled(notebook, stubs)]
    notebook |= {"cells": cells, "metadata": {}}


def own_cells(notebook, stubs):
    for place in range(0, len(notebook["cells"]), 7):
        notebook["cells"].insert(place, [code, words][place % 2](f"mine_{place} = {place}"))


def outputs_gone(notebook, stubs):
    for cell in notebook["cells"]:
        for key in ("outputs", "execution_count"):
            cell.pop(key, None)


def outputs_there(notebook, stubs):
    for cell in notebook["cells"]:
        cell |= {"execution_count": 7, "outputs": [{"output_type": "stream", "text": "x" * 99}]}


def no_format(notebook, stubs):
    for key in ("nbformat", "nbformat_minor"):
        notebook.pop(key, None)


def format_4_0(notebook, stubs):
    notebook["nbformat_minor"] = 0
    for cell in notebook["cells"]:
        cell.pop("id", None)


def format_3(notebook, stubs):
    old = json.loads(nbformat.writes(nbformat.convert(nbformat.from_dict(notebook), 3), 3))
    notebook.clear()
    notebook.update(old)


def damaged_cells(notebook, stubs):
    notebook["cells"][3:3] = [None, code(7)]


def checks(notebook) -> list[dict]:
    return [c for c in notebook["cells"] if (grade_id(c) or "").endswith("-check")]


def filled(notebook, stubs) -> list[dict]:
    """The answer cells."""
    cells = [cell for cell in notebook["cells"] if grade_id(cell) in stubs]
    for cell in cells:
        cell["source"] = text_of(cell)
    return cells


def name_of(stubs) -> str:
    return next(name for name in NAMES if release(name).stubs == stubs)


GONE = "The notebook's own metadata is missing"
NAMELESS = "had lost their names and were recognized by their functions."
ORDER = "Some cells were in a different order"
COPIED = "Duplicated checks count once: {}."
LOST = "Missing checks were restored: {}."
CHANGED = "Changed checks were restored: {}."
TWO = "There is more than one cell for {}; the last one with work in it counts."
TEXT = "Answers in text cells were converted back to code: {}."
DAMAGES = [
    # (what is done, what is reported; {} stands for the first two checks, or for all answers)
    (strip_metadata, [GONE, NAMELESS]),
    (strip_all, [GONE, NAMELESS]),
    (strip_names, [NAMELESS]),
    (lists_of_lines, []),
    (other_ends_of_lines, []),
    (new_ids, []),
    (another_release, ["It was made from another release of the course"]),
    (checks_twice, [COPIED]),
    (checks_with_other_names, [COPIED]),
    (checks_deleted, [LOST]),
    (checks_edited, [CHANGED]),
    (checks_emptied, [LOST]),
    (checks_as_text, [CHANGED]),
    (answers_twice, [TWO]),
    (older_answers_before, [TWO]),
    (stubs_behind_answers, [TWO]),
    (answers_in_new_cells, [TWO]),
    (answers_at_the_end, [TWO]),
    (answers_before_everything, [TWO]),
    (answers_instead_of_stubs, [NAMELESS]),
    (answers_as_markdown, [TEXT]),
    (answers_as_raw_text, [TEXT]),
    (answers_as_text_and_the_stubs_again, [TEXT, TWO]),
    (older_answers_as_text, [TWO]),
    (all_twice, ["Duplicated checks", TWO]),
    (release_behind, ["Duplicated checks", TWO]),
    (release_before, ["Duplicated checks", TWO]),
    (backwards, [ORDER]),
    (exercises_swapped, [ORDER]),
    (answers_swapped, [ORDER]),
    (only_answers, ["Missing checks"]),
    (only_functions, [GONE, NAMELESS, "Missing checks"]),
    (own_cells, []),
    (outputs_gone, []),
    (outputs_there, []),
    (no_format, []),
    (format_4_0, []),
    (format_3, ["The file has a format from before 2015; it was converted."]),
    (damaged_cells, ["2 cell(s) are damaged and were left out."]),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("damage", "reported"), DAMAGES, ids=[d.__name__ for d, _ in DAMAGES])
def test_one_damage_is_repaired_and_reported(damage, reported, name):
    notebook, stubs = solved(name), release(name).stubs
    before = answers(notebook, name)
    two = ", ".join(f"`{grade_id(cell)}`" for cell in checks(notebook)[:2])
    damage(notebook, stubs)
    checked = submit(notebook, f"{name}.ipynb")
    assert (checked.name, checked.unanswered) == (name, [])
    assert answers(checked.notebook, name) == before
    every = ", ".join(f"`{slot}`" for slot in stubs)
    assert tells(
        checked, *(each.format(every if each in (TWO, TEXT) else two) for each in reported)
    )
    if damage is own_cells:
        mine = [c["source"] for c in notebook["cells"] if text_of(c).startswith("mine_")]
        assert own(checked) == mine
    else:
        assert [source for source in own(checked) if "More words" not in source] == []


# --- many damages ---

TAKING_NAMES = (strip_metadata, strip_all, strip_names)
ANY = (lists_of_lines, other_ends_of_lines, new_ids, another_release, own_cells, outputs_gone)
ANY += (outputs_there, no_format, format_4_0)
OF_CHECKS = (checks_twice, checks_with_other_names, checks_deleted, checks_edited, checks_emptied)
OF_ANSWERS = (answers_twice, older_answers_before, stubs_behind_answers, answers_in_new_cells)
OF_ANSWERS += (answers_at_the_end, answers_instead_of_stubs, answers_as_raw_text, release_behind)
OF_ORDER = (all_twice, exercises_swapped, answers_swapped)


@pytest.mark.parametrize("seed", range(45))
def test_damages_together_lose_no_answer(seed):
    draw = random.Random(seed)
    name = NAMES[seed % 3]
    notebook, stubs = solved(name), release(name).stubs
    before = answers(notebook, name)
    damages = [
        *draw.sample(ANY, draw.randint(1, 3)),
        *draw.sample(OF_ORDER, draw.randint(0, 1)),
        *draw.sample(OF_CHECKS, draw.randint(0, 1)),
        *draw.sample(OF_ANSWERS, draw.randint(0, 1)),
        *draw.sample(TAKING_NAMES, draw.randint(0, 1)),
        *draw.sample([damaged_cells], draw.randint(0, 1)),
    ]
    for damage in damages:
        damage(notebook, stubs)
    checked = submit(notebook, f"{name}.ipynb")
    assert answers(checked.notebook, name) == before, [damage.__name__ for damage in damages]
    assert (checked.name, checked.unanswered) == (name, [])
    assert own_cells not in damages or any(source.startswith("mine_") for source in own(checked))


# --- answers in other places ---

PARTS = [
    (name, exercise, [s for s in release(name).stubs if s.split("-")[0] == exercise])
    for name in NAMES
    for exercise, functions in release(name).functions.items()
    if len(functions) > 1
]


@pytest.mark.parametrize("how", ["stubs kept", "cells deleted", "all stripped", "in a new cell"])
@pytest.mark.parametrize(("name", "exercise", "slots"), PARTS)
def test_parts_answered_in_one_cell_are_put_in_each_place(name, exercise, slots, how):
    notebook = solved(name)
    before = answers(notebook, name)
    both = "\n\n".join(before[slot] for slot in slots)
    for slot in slots[how != "in a new cell" :]:
        cell_of(notebook, slot)["source"] = release(name).stubs[slot]
        if how != "stubs kept":
            notebook["cells"].remove(cell_of(notebook, slot))
    if how == "in a new cell":
        insert(notebook, f"{exercise}-check", code(both), behind=False)
    else:
        cell_of(notebook, slots[0])["source"] = both
    if how == "all stripped":
        strip_all(notebook, {})
    checked = submit(notebook, f"{name}.ipynb")
    assert answers(checked.notebook, name) == before | dict.fromkeys(slots, both)
    names = ", ".join(f"`{slot}`" for slot in slots)
    assert (
        checked.found.count(f"One cell answers {names}; it was copied to the place of each.") == 1
    )
    assert checked.unanswered == [] == own(checked)


def test_what_was_written_later_runs_later():
    notebook = handed_out()
    old = "def classic_pairs():\n    return 'old'\n\n\ndef balanced_pairs():\n    return 'old'"
    cell_of(notebook, "pairs-classic")["source"] = old
    insert(notebook, "pairs-check", code("def classic_pairs():\n    return 'new'"))
    names = run(submit(notebook))
    assert (names["classic_pairs"](), names["balanced_pairs"]()) == ("new", "old")


HELPER = "def helper(x):\n    return 2 * x"
USES_HELPER = "def euclidean_distance(left, right):\n    return helper(left)"


@pytest.mark.parametrize("strip", [None, strip_names, strip_all])
@pytest.mark.parametrize("behind", [False, True])
def test_a_helper_in_an_added_cell_is_kept_where_it_stood(behind, strip):
    notebook = handed_out()
    cell_of(notebook, "distance")["source"] = USES_HELPER
    insert(notebook, "distance", code(HELPER), behind=behind)
    if strip:
        strip(notebook, {})
    checked = submit(notebook)
    assert own(checked) == [HELPER]
    texts = [text_of(cell) for cell in checked.notebook["cells"]]
    assert texts.index(HELPER) - texts.index(USES_HELPER) == (1 if behind else -1)
    assert run(checked)["euclidean_distance"](2, 0) == 4


@pytest.mark.parametrize("strip", [None, strip_all])
@pytest.mark.parametrize(
    "source",
    [
        f"# exercises.distance.hint()\n{HELPER}",
        f"exercises.distance.hint()\n\n\n{HELPER}",
        f"{HELPER}\nexercises.distance.check(euclidean_distance)",
        f"{HELPER}\n# exercises.distance.solution(show=True)",
        "twice, half = 2, 0.5\n# exercises.distance.check(euclidean_distance)",
        "from math import *\nexercises.distance.check(lambda x, y: sqrt(x))",
        f"{HELPER}\neuclidean_distance_points = exercises.distance.check(helper)",
    ],
)
def test_a_helper_beside_a_call_of_a_check_or_a_hint_is_kept(source, strip):
    notebook = handed_out()
    cell_of(notebook, "distance")["source"] = USES_HELPER
    place = next(n for n, c in enumerate(notebook["cells"]) if "distance.hint" in text_of(c))
    notebook["cells"][place]["source"] = source
    if strip:
        strip(notebook, {})
    checked = submit(notebook)
    assert own(checked) == [source]
    assert HELPER not in source or run(checked)["euclidean_distance"](2, 0) == 4


@pytest.mark.parametrize("strip", [None, strip_all])
def test_an_answer_split_over_two_cells_is_kept_whole(strip):
    """Jupyter gives both halves the name."""
    notebook = solved(SECOND)
    first, second = re.split(r"\n+(?=def build_siamese)", cell_of(notebook, "siamese")["source"])
    cell_of(notebook, "siamese")["source"] = first
    insert(notebook, "siamese", code(second, "siamese"))
    if strip:
        strip(notebook, {})
    checked = submit(notebook, f"{SECOND}.ipynb")
    assert answers(checked.notebook, SECOND)["siamese"] == second
    assert own(checked) == [first]
    numbers = [cell.number for cell in needed(code_cells(checked.notebook))]
    assert {place_of(checked.notebook, "siamese"), place_of(checked.notebook, "siamese") - 1} <= {
        *numbers
    }


def test_an_answer_that_does_not_count_is_kept_before_it_for_its_helper():
    notebook = handed_out()
    old = f"{HELPER}\n\n\ndef euclidean_distance(left, right):\n    return 'old'"
    cell_of(notebook, "distance")["source"] = old
    insert(notebook, "distance-check", code(USES_HELPER))
    checked = submit(notebook)
    assert answers(checked.notebook)["distance"] == USES_HELPER
    assert own(checked) == [old]
    assert run(checked)["euclidean_distance"](2, 0) == 4
    assert tells(checked, TWO.format("`distance`"))


def test_an_answer_that_does_not_count_runs_first_wherever_it_stood():
    notebook = handed_out()
    old = f"{HELPER}\n\n\ndef euclidean_distance(left, right):\n    return 'old'"
    notebook["cells"] += [code(old), code(USES_HELPER)]
    checked = submit(notebook)
    assert own(checked) == [old]
    assert run(checked)["euclidean_distance"](2, 0) == 4


def test_an_earlier_function_written_again_as_a_helper_is_no_answer_to_it():
    notebook = solved()
    before = answers(notebook)
    both = f"{before['distance']}    # again\n\n\n{before['contrastive_loss']}"
    cell_of(notebook, "contrastive_loss")["source"] = both
    checked = submit(notebook)
    assert answers(checked.notebook) == before | {"contrastive_loss": both}
    assert (checked.found, own(checked)) == ([], [])


@pytest.mark.parametrize("with_ids", [True, False])
@pytest.mark.parametrize(
    "line", ["import scipy", "from math import *", "a, b = 1, 2", "!pip list\nx = 1"]
)
def test_a_line_added_to_a_cell_of_the_release_is_kept(line, with_ids):
    notebook = solved()
    changed = f"{text_of(notebook['cells'][4])}\n{line}"
    notebook["cells"][4]["source"] = changed
    if not with_ids:
        strip_all(notebook, {})
    checked = submit(notebook)
    assert own(checked) == [changed]
    sources = [text_of(cell) for cell in checked.notebook["cells"]]
    assert sources.index(changed) == (5 if with_ids else 4)


def test_other_changes_to_cells_of_the_release_are_put_back():
    notebook = solved()
    cell = next(cell for cell in notebook["cells"] if "axis.axvline(5" in text_of(cell))
    cell["source"] = text_of(cell).replace("axvline(5", "axvline(6")
    for cell in notebook["cells"]:
        if text_of(cell).startswith("# exercises."):
            cell["source"] = text_of(cell)[2:]
    checked = submit(notebook)
    assert (checked.found, own(checked)) == ([], [])


@pytest.mark.parametrize(
    "cell",
    [
        words("My notes:\n```python\ndef euclidean_distance(left, right):\n    return 0\n```"),
        words("# A title"),
        words("What does `exercises.distance.check(f)` want?"),
        code("%timeit euclidean_distance(here, there)"),
        code("cluster, knn = 3, 4"),
        code("def mine(:\n    pass"),
        code("mine = 3", "distance"),
        code("mine = 3", "distance-check"),
        code("mine = 3", "another"),
        code("here = 3\n" * 3),
    ],
)
@pytest.mark.parametrize("strip", [None, strip_all])
def test_other_cells_of_the_learner_are_kept_and_are_no_answers(cell, strip):
    notebook = solved()
    insert(notebook, "distance", cell)
    if strip:
        strip(notebook, {})
    checked = submit(notebook)
    assert answers(checked.notebook) == answers(solved())
    assert own(checked) == [cell["source"]]


@pytest.mark.parametrize(
    "source",
    [
        "exercises.distance.solution()",
        "exercises.distance.check(lambda left, right: 0)",
        "exercises.distance.use(euclidean_distance)",
        "points = exercises.distance.check(euclidean_distance)",
        "euclidean_distance = exercises.distance.use(euclidean_distance)  # mine",
        "euclidean_distance = 3",
        "knn_score = sum([1, 2])",
        "",
        " \n",
    ],
)
@pytest.mark.parametrize("strip", [None, strip_all])
def test_cells_that_could_only_do_harm_are_left_out(source, strip):
    notebook = solved()
    notebook["cells"].append(code(source))
    if strip:
        strip(notebook, {})
    checked = submit(notebook)
    assert answers(checked.notebook) == answers(solved())
    assert own(checked) == []


@pytest.mark.parametrize("named", [True, False])
@pytest.mark.parametrize(
    "source",
    [
        "def euclidean_distance(left, right):\n    return (left - right",
        "def euclidean_distance(left, right)\n    return 0",
        "def  euclidean_distance (left, right):\nreturn 0",
        "async def euclidean_distance(left, right):\n    return 0",
        "%%time\ndef euclidean_distance(left, right):\n    return 0",
        "!pip install scipy\ndef euclidean_distance(left, right):\n    return 0",
        "def euclidean_distance(left, right):\n    return 0\nexercises.distance.check(euclidean_distance)",
        "euclidean_distance = lambda left, right: 0",
        "euclidean_distance = another_function",
        "import numpy as np\n@np.vectorize\ndef euclidean_distance(left, right):\n    return 0",
        "class euclidean_distance:\n    pass",
        f"def euclidean_distance(left, right):\n    return 0\n{STUB}",
        'def euclidean_distance(left, right):\n    return "\ud800\x00ü🦦"',
        "def euclidean_distance(left, right):\r\n    return 0\r\n",
    ],
)
def test_an_answer_is_kept_in_its_old_words(source, named):
    notebook = solved()
    cell_of(notebook, "distance")["source"] = source
    if not named:
        strip_all(notebook, {})
    checked = submit(notebook)
    assert answers(checked.notebook) == answers(solved()) | {"distance": source}
    assert checked.unanswered == []
    assert tells(checked, *([] if named else [GONE, "9 answer cell(s) had lost"]))


def test_a_function_of_another_name_stays_the_answer_of_its_cell():
    notebook = solved()
    cell_of(notebook, "distance")["source"] = "def my_distance(left, right):\n    return 0"
    checked = submit(notebook)
    assert answers(checked.notebook)["distance"].startswith("def my_distance")
    assert (checked.found, checked.unanswered) == ([], [])


@pytest.mark.parametrize("stub_kept", [True, False])
@pytest.mark.parametrize("elsewhere", ["distance-check", "knn", "knn-check", "unknown"])
def test_an_answer_in_a_cell_of_another_name_is_found(elsewhere, stub_kept):
    notebook, text = solved(), answers(solved())["distance"]
    cell_of(notebook, "distance")["source"] = release(FIRST).stubs["distance"]
    if not stub_kept:
        notebook["cells"].remove(cell_of(notebook, "distance"))
    insert(notebook, "distance-check", code(text, elsewhere))
    checked = submit(notebook)
    assert answers(checked.notebook) == answers(solved())
    assert checked.unanswered == []


def test_of_two_answers_the_last_one_worked_on_counts_wherever_it_stands():
    notebook = handed_out()
    for number in range(3):
        source = f"def euclidean_distance(left, right):\n    return {number}"
        insert(notebook, "knn", code(source, "distance" if number == 1 else None), behind=False)
    insert(notebook, "knn", code("euclidean_distance = 4", "distance"))
    insert(notebook, "knn", cell_of(handed_out(), "distance"))
    checked = submit(notebook)
    assert answers(checked.notebook)["distance"].endswith("return 2")
    assert tells(checked, TWO.format("`distance`"))
    assert run(checked)["euclidean_distance"](0, 0) == 2


def test_calls_of_a_check_are_no_answers():
    notebook = solved()
    cell_of(notebook, "distance")["source"] = text_of(cell_of(notebook, "distance-check"))
    use = "euclidean_distance = exercises.distance.use(euclidean_distance)  # mine"
    notebook["cells"].append(code(use))
    checked = submit(notebook)
    assert checked.unanswered == ["distance"]
    assert "Answer cells are missing: `distance`." in checked.found


@pytest.mark.parametrize("name", NAMES)
def test_lost_answers_are_told_and_unanswered(name):
    notebook, slots = solved(name), list(release(name).stubs)
    for slot in slots[1:3]:
        notebook["cells"].remove(cell_of(notebook, slot))
    checked = submit(notebook, f"{name}.ipynb")
    assert checked.unanswered == slots[1:3]
    gone = ", ".join(f"`{slot}`" for slot in slots[1:3])
    assert tells(checked, f"Answer cells are missing: {gone}.")


# --- files ---


@pytest.mark.parametrize("file", ["anna.ipynb", f"{FIRST} (1).ipynb", f"{SECOND}.ipynb", "Übung"])
def test_a_renamed_file_is_known_by_its_cells(file):
    checked = submit(solved(), file)
    assert checked.name == FIRST
    assert tells(checked, f"The file is called {file}; its cells are those of {FIRST}.ipynb.")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "utf-32"])
def test_other_encodings_are_read(encoding, name):
    cells = json.dumps(solved(name), ensure_ascii=False)
    checked = submit(cells.encode(encoding), f"{name}.ipynb")
    assert (checked.found, answers(checked.notebook, name)) == ([], answers(solved(name), name))


def test_bytes_that_are_no_text_are_told():
    notebook = solved()
    cell_of(notebook, "distance")["source"] += "# schön"
    data = json.dumps(notebook, ensure_ascii=False).encode()
    checked = submit(data.replace("schön".encode(), "schön".encode("latin-1")))
    assert answers(checked.notebook)["distance"].endswith("# sch�n")
    assert tells(checked, "Some characters of the file cannot be read")


@pytest.mark.parametrize("indent", [1, None])
@pytest.mark.parametrize("name", NAMES)
def test_of_a_file_cut_short_all_whole_cells_are_read(name, indent):
    notebook, before = solved(name), answers(solved(name), name)
    text = json.dumps(notebook, indent=indent)
    ends = {slot: text.index(json.dumps(source)) + len(source) for slot, source in before.items()}
    for cut in range(1, len(text), len(text) // 25):
        whole = {slot for slot, end in ends.items() if end + 200 < cut}
        try:
            checked = submit(text[:cut].encode(), f"{name}.ipynb")
        except CourseError as error:
            assert not whole, (cut, error)
            continue
        got = answers(checked.notebook, name)
        kept = {slot for slot in before if got[slot] == before[slot]}
        assert whole <= kept
        assert all(got[slot] == release(name).stubs[slot] for slot in before.keys() - kept)
        assert set(checked.unanswered) == before.keys() - kept
        assert "The file is damaged or truncated" in checked.found[0]
        assert GONE not in " ".join(checked.found)


def test_half_a_cell_is_none():
    text = dumped(solved()).decode()
    cut = text.index('"source"', text.index('"grade_id": "distance"'))
    with pytest.raises(CourseError, match="contains no answer"):
        preflight.check(text[: text.index('"source"', cut)].encode(), f"{FIRST}.ipynb")
    cut = text.index('"source"', text.index('"grade_id": "contrastive_loss"'))
    whole = place_of(solved(), "contrastive_loss")
    assert f"{whole} cells can be read" in submit(text[:cut].encode()).found[0]


def test_of_a_file_with_very_many_damages_the_rest_is_given_up(monkeypatch):
    text = '{"cell_type": ' * 5 + dumped(solved()).decode()
    assert submit(text.encode()).unanswered == []
    monkeypatch.setattr(preflight, "MAX_BROKEN_CELLS", 3)
    with pytest.raises(CourseError, match="no cell can be read"):
        preflight.check(text.encode(), f"{FIRST}.ipynb")


def test_headings_of_old_files_are_words():
    notebook = solved()
    notebook["cells"].append(words("Mine") | {"cell_type": "heading", "level": 1, "id": "x"})
    format_3(notebook, {})
    checked = submit(notebook)
    assert own(checked) == ["# Mine"]
    assert tells(checked, "The file has a format from before 2015")


@pytest.mark.parametrize("seed", range(24))
def test_of_a_file_damaged_in_the_middle_little_is_lost(seed):
    draw, name = random.Random(seed), NAMES[seed % 3]
    data = bytearray(dumped(solved(name)))
    start = draw.randrange(len(data) - 100)
    data[start : start + 60] = draw.choice([b"", b"\xff" * 60, b"\0" * 60, b'"' * 60, b"{" * 60])
    checked = submit(bytes(data), f"{name}.ipynb")
    got, before = answers(checked.notebook, name), answers(solved(name), name)
    assert sum(got[slot] != before[slot] for slot in before) <= 2


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xef\xbb\xbf",
        b" \n",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b"7",
        b"null",
        b'"text"',
        b"NaN",
        b'{"cells": 7}',
        b'{"cells": {}}',
        b'{"cells": []}',
        b'{"cells": [[], 7, null, {}]}',
        b'{"cells": [{"cell_type": "code"}]}',
        b'{"worksheets": []}',
        b'{"worksheets": [7, {"cells": 7}, {"cells": [7]}]}',
        b"<html><body>Please sign in</body></html>",
        b"PK\x03\x04" + bytes(range(256)),
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"cell_type":' * 100_000,
        b'{"cell_type": "code", "source": [' * 100_000,
        b'{"cells": [' + b"1" * 5000 + b"]}",
        b"\0" * 1000,
    ],
)
def test_what_is_no_notebook_is_refused_in_a_sentence(data):
    with pytest.raises(CourseError, match=r"^hers\.ipynb \w.*\.$"):
        preflight.check(data, "hers.ipynb")


def test_a_reply_of_jupyters_server_holds_a_notebook():
    notebook = handed_out(NAMES[0])
    reply = {"name": "hers.ipynb", "type": "notebook", "content": notebook}
    checked = preflight.check(json.dumps(reply).encode(), "hers.ipynb")
    assert checked.name == NAMES[0]
    assert len(checked.notebook["cells"]) == len(notebook["cells"])


def test_a_file_too_large_is_refused(monkeypatch):
    monkeypatch.setattr(reading, "MAX_FILE_BYTES", 1 << 20)
    with pytest.raises(CourseError, match=r"hers.ipynb is larger than 1 MiB"):
        reading.read(b" " * (1 << 20) + b"[]", "hers.ipynb")


OTHERS = {
    "another course on the same subject": [
        code("import trax\nfrom trax import layers as tl"),
        code("def data_generator(Q1, Q2, batch_size):\n    yield 1", "ex01"),
        code("def TripletLoss(v1, v2):\n    return 0", "ex02"),
        code("def predict(q1, q2):\n    return True", "ex03"),
    ],
    "nbgrader's names": [code("answer = 1", name) for name in ("loss", "siamese", "search")],
    "a tutorial": [code("def evaluate(model):\n    return 1"), code("batches = [1]\ncluster = 2")],
    "words": [words("siamese_course"), words("exercises.distance.check(f)")],
    "an import of the course": [code("import siamese_course")],
}


@pytest.mark.parametrize("cells", OTHERS.values(), ids=OTHERS)
def test_a_notebook_of_another_course_is_refused(cells):
    with pytest.raises(CourseError, match=r"^x\.ipynb contains no answer and no check"):
        preflight.check(dumped({"cells": cells, "metadata": {}, "nbformat": 4}), "x.ipynb")


# --- hostile contents, in a notebook of right answers ---


def deep(depth) -> dict:
    value = {}
    for _ in range(depth):
        value = {"a": [value]}
    return value


HOSTILE_CELLS = [
    {},
    [],
    {"cell_type": ["code"], "source": ""},
    {"cell_type": "code", "source": 7},
    {"cell_type": "code", "source": None},
    {"cell_type": "code", "source": ["a", 7]},
    {"cell_type": "code", "source": {"a": 1}},
    {"cell_type": "video", "source": ""},
    code("x = 1") | {"id": ["list"]},
    code("x = 1") | {"id": {"a": 1}},
    code("x = 1") | {"id": 7},
    code("x = 1") | {"metadata": ["list"]},
    code("x = 1") | {"metadata": {"nbgrader": ["list"]}},
    code("x = 1") | {"metadata": {"nbgrader": {"grade_id": ["distance"]}}},
    code("x = 1") | {"metadata": {"nbgrader": {"grade_id": {"a": 1}}}},
    code("x = 1") | {"metadata": {"nbgrader": {"grade_id": "x" * 1_000_000}}},
    code("x = 1") | {"metadata": {"big": ["x" * 1000] * 5000}},
    code("x = 1") | {"metadata": deep(200)},
    code("x = 1") | {"outputs": 7, "attachments": [7]},
]
HOSTILE_SOURCES = [
    "(" * 90_000,
    "-" * 90_000 + "1",
    "not " * 20_000 + "x",
    "x = " + "1+" * 40_000 + "1",
    "x = " + "a." * 40_000 + "b",
    "f" + "(1)" * 30_000,
    "x = " + "[" * 90 + "]" * 90,
    "x = " + "1+" * 900 + "1",
    "raise " + "a." * 900 + "b",
    "\n".join(" " * n + "if x:" for n in range(99)) + "\n" + " " * 99 + "pass",
    "x = " + "9" * 10_000,
    "def " * 9_000,
    "def a\n" * 15_000,
    "%" * 90_000,
    "\0\ud800",
    "x = '" + "y" * 5_000_000 + "'",
    "x = [" + "1," * 1_000_000 + "]",
    "exercises." * 9_000,
    "(" + "\n" * 99_000,
    "(" + " " * 99_000 + "%",
    "x = 0_or 1; y = '\\d'; 1 is 1",
]


@pytest.mark.parametrize("cell", HOSTILE_CELLS, ids=range(len(HOSTILE_CELLS)))
def test_a_hostile_cell_costs_no_answer(cell):
    notebook = solved()
    notebook["cells"][5:5] = [cell, cell]
    checked = submit(notebook)
    assert answers(checked.notebook) == answers(solved())


@pytest.mark.parametrize("where", ["own cell", "answer", "edited cell"])
@pytest.mark.parametrize("source", HOSTILE_SOURCES, ids=range(len(HOSTILE_SOURCES)))
def test_a_hostile_source_costs_no_answer_and_little_time(source, where):
    notebook, before = solved(), answers(solved())
    if where == "answer":
        cell_of(notebook, "distance")["source"] = before["distance"] = source
    elif where == "edited cell":
        notebook["cells"][2]["source"] = source
    else:
        notebook["cells"].append(code(source))
    started = time.process_time()
    checked = submit(notebook)
    assert time.process_time() - started < 5
    assert answers(checked.notebook) == before


def test_doubtful_python_gives_no_warning(recwarn):
    notebook = solved()
    notebook["cells"].append(code("x = '\\d' if 0or 1 else 2"))
    submit(notebook)
    assert not recwarn.list


def test_cells_that_are_costly_to_compare_take_little_time():
    notebook = handed_out(THIRD)
    notebook["cells"] = [cell.copy() for cell in notebook["cells"] * 6]
    for cell in notebook["cells"]:
        letters = list(text_of(cell))
        random.Random(0).shuffle(letters)
        cell["source"] = "".join(letters)
    cell_of(notebook, "loss")["source"] = "triplet_loss = 1"
    started = time.process_time()
    checked = submit(notebook, f"{THIRD}.ipynb")
    assert time.process_time() - started < 3
    assert answers(checked.notebook, THIRD)["loss"] == "triplet_loss = 1"


@pytest.mark.parametrize("metadata", [[], 7, "text", {"siamese_course": 7}, {"siamese_course": []}])
def test_hostile_metadata_is_as_good_as_none(metadata):
    checked = submit(solved() | {"metadata": metadata})
    assert answers(checked.notebook) == answers(solved())
    assert tells(checked, GONE)


def test_very_deep_files_and_very_many_cells_cost_no_answer():
    text = dumped(solved()).decode()
    deep_text = text.replace('"metadata": {}', '"metadata": ' + "[" * 50_000 + "]" * 50_000, 1)
    checked = submit(deep_text.encode())
    assert answers(checked.notebook) == answers(solved())
    notebook = solved()
    notebook["cells"] += [code("x = 1")] * 5000
    started = time.process_time()
    checked = submit(notebook)
    assert time.process_time() - started < 5
    assert len(own(checked)) == 5000

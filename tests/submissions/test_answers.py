"""Answers on file: every wrong one fails with the hint meant for it, every right one has full points.

The notebook's check and the instructor's sandbox give each the same points.

A file NN/EXERCISE/wrong/NAME.py begins with ``# expects: `` and a part of the hint. The answers run in a
submission's process, all those of an exercise in one, those that tamper last; the points are computed here.
"""

import ast
import contextlib
import io
import shutil
from pathlib import Path

import pytest

from siamese_course.exercises.engine import Result
from siamese_course.grading import cells, package, reading
from siamese_course.grading.sandbox import Sandbox
from siamese_course.grading.session import Session, check, check_hidden
from siamese_course.notebooks.catalog import BY_NAME, NAMES
from tools import mutants

HERE = Path(__file__).parent
EXPECTS = "# expects: "
HIDDEN_SEED = 20_251
EXERCISES = sorted(path.relative_to(HERE) for path in HERE.glob("0?/*") if path.is_dir())
FIRST = "01/knn"
LONG = ("01/encoder", "01/pairs", "02/siamese", "03/clusters", "04/mining")
# One exercise in ``make test``, the longest in ``make test-release``, the others in ``make test-all``
MARKS = {FIRST: ()} | dict.fromkeys(LONG, pytest.mark.release)
IN_TURN = [pytest.param(each, marks=MARKS.get(str(each), pytest.mark.slow)) for each in EXERCISES]
# Answers that attack the check, which only the sandbox keeps out, or that only the sandbox recognizes
TAMPERING = ("patches", "borrowed", "lying")
SANDBOX = "bubblewrap" if shutil.which("bwrap") else "limits"


def answer_files(exercise: Path, kind: str) -> list[Path]:
    """The answers of an exercise, those that change more than their own names last."""
    found = (HERE / exercise / kind).glob("*.py")
    return sorted(
        found, key=lambda path: (path.stem.startswith(("patches", "borrowed")), path.stem)
    )


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return package.copy_without_answers(tmp_path_factory.mktemp("course"))


@pytest.fixture(scope="module")
def sandbox_of(course):
    """A notebook's number -> a sandbox that has loaded what its answers need, kept for its next exercise."""
    kept = {}
    with contextlib.ExitStack() as stack:

        def of(number: str) -> Sandbox:
            if number not in kept:
                stack.close()
                kept.clear()
                sandbox = Sandbox(SANDBOX, course, cells.imports(name_of(number)))
                kept[number] = stack.enter_context(contextlib.closing(sandbox))
            return kept[number]

        yield of


def name_of(number: str) -> str:
    return next(name for name in NAMES if name.startswith(number))


def outcomes(exercise: Path, files: list[Path], sandbox: Sandbox):
    """(file, its text, outcome) for each answer, graded in one process after the other."""
    number, short = exercise.parts
    name = name_of(number)
    release = cells.release(name)
    exercise = release.exercises[short]
    session = Session(sandbox, seconds=60)
    for before in list(release.functions)[: list(release.functions).index(short)]:
        session.adopt(name, before)
    for file in files:
        text = file.read_text("utf-8")
        plan = reading.plan(name, cells.with_answers(name, {short: text}))
        cells_of = plan.cells_of(plan.exercises[short].cells)
        own = [cell for cell in cells_of if cell.exercise in (None, short)]
        numbers = {cell.number for cell in own}
        session.log = [cell for cell in session.log if cell.number not in numbers]
        session.errors = {n: e for n, e in session.errors.items() if n not in numbers}
        session.run(own)
        found = check(session, plan, exercise)
        if found.outcome.points:
            check_hidden(session, plan, exercise, found, (), HIDDEN_SEED)
        yield file, text, found.outcome


def results_in_notebook(exercise: Path, files: list[Path]) -> dict[Path, Result]:
    """The results of answers in this process, as in a notebook, with the instructor's numbers besides."""
    number, short = exercise.parts
    checked = BY_NAME[name_of(number)].exercises()[short]
    results = {}
    with contextlib.redirect_stdout(io.StringIO()):
        given, names = mutants.namespace(f"{number}.{short}")
        for file in files:
            space = dict(given)
            # as in a notebook, what an answer's cell raises leaves its functions undefined
            with contextlib.suppress(Exception, SystemExit):
                exec(compile(file.read_text("utf-8"), "<ipython-input>", "exec"), space)
            answers = [space.get(name) for name in names]
            results[file] = checked.grade(HIDDEN_SEED, *answers)
    return results


def test_no_answer_is_on_file_twice():
    files = {}
    for file in sorted(HERE.glob("0?/*/*/*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
                node.body = node.body[1:] or [ast.Pass()]
        files.setdefault((file.parent, ast.dump(tree)), []).append(file.stem)
    assert not [names for names in files.values() if len(names) > 1]


@pytest.mark.slow
@pytest.mark.parametrize("exercise", IN_TURN, ids=str)
def test_wrong_answers_fail_with_their_hint_and_right_ones_pass(exercise, sandbox_of, capsys):
    wrong, right = (answer_files(exercise, kind) for kind in ("wrong", "right"))
    assert len(wrong) >= 8
    assert len(right) >= 3
    faults = []
    plain = [each for each in [*right, *wrong] if not each.stem.startswith(TAMPERING)]
    in_notebook = results_in_notebook(exercise, plain)
    sandbox = sandbox_of(exercise.parts[0])
    for file, text, outcome in outcomes(exercise, [*right, *wrong], sandbox):
        told = outcome.messages[0] if outcome.messages else ""
        result = in_notebook.get(file, outcome)
        if result.points != outcome.points:
            faults.append(
                f"{file.name}: {result.points:g} in a notebook, {outcome.points:g} in the sandbox: "
                f"{result.messages}, {outcome.messages}"
            )
        if file.parent.name == "right":
            if outcome.points < outcome.max_points:
                faults.append(f"{file.name} is right and got {outcome.points:g}: {told}")
        elif outcome.points == outcome.max_points:
            faults.append(f"{file.name} is wrong and got all {outcome.points:g} points")
        elif text.splitlines()[0].removeprefix(EXPECTS) not in told:
            faults.append(f"{file.name} expects {text.splitlines()[0]!r} and is told: {told}")
    with capsys.disabled():
        print(f"\n{exercise}: {len(wrong)} wrong and {len(right)} right answers", end=" ")
    assert not faults, "\n".join(faults)

"""Read a submission and plan what to run of it, in a process of its own with limits on time and memory.

Whatever is in a file, reading it ends: with a plan, or with a reason why there is none.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass

from siamese_course.grading import cells as notebook_cells
from siamese_course.grading import preflight
from siamese_course.grading.cells import Cell
from siamese_course.grading.plain import clean
from siamese_course.runtime.errors import CourseError

SECONDS = 30  # of processor time
# Bytes: Python's text of a file takes up to four times as many, and the values in it as many again
MAX_FILE_BYTES, MEMORY = 256 << 20, 3 << 30
# How the process ends at a limit: without an answer, or by the signal of its processor time, which Windows lacks
AT_A_LIMIT = (0, -getattr(signal, "SIGXCPU", 0))


@dataclass(frozen=True)
class Asked:
    """What is known about the answer to an exercise before it runs.

    ``cells`` are the numbers of the cells to run for it; ``named`` leaves out those that might bind anything,
    such as one with ``exec``. ``refused`` and ``reaching`` are what ``cells.borrowed`` and ``cells.reaching`` found.
    """

    begun: bool
    cells: list[int]
    named: list[int]
    uses: list[str]
    refused: str | None
    reaching: str | None


@dataclass(frozen=True)
class Plan:
    """A submission that was read: which notebook it is, what was found, and what to run."""

    name: str
    notebook: dict
    found: list[str]
    unanswered: list[str]
    cells: list[Cell]
    exercises: dict[str, Asked]

    def cells_of(self, numbers: list[int]) -> list[Cell]:
        """Return the cells with these numbers, in order."""
        chosen = set(numbers)
        return [cell for cell in self.cells if cell.number in chosen]


def plan(
    name: str, notebook: dict, found: Sequence[str] = (), unanswered: Sequence[str] = ()
) -> Plan:
    """Return what to run of a repaired notebook."""
    release = notebook_cells.release(name)
    ours = {cell.source for cell in notebook_cells.code_cells(release.notebook)}
    cells = notebook_cells.code_cells(notebook)
    exercises = {}
    for short in release.functions:
        stubs = {s.strip() for slot, s in release.stubs.items() if slot.split("-")[0] == short}
        own = [cell.source.strip() for cell in cells if cell.exercise == short]
        chosen = notebook_cells.needed(cells, short)
        named = notebook_cells.needed(cells, short, anything=False)
        exercises[short] = Asked(
            any(source and source not in stubs for source in own),
            [cell.number for cell in chosen],
            [cell.number for cell in named],
            sorted(notebook_cells.uses(cells, short)),
            notebook_cells.borrowed(chosen, short),
            notebook_cells.reaching([cell for cell in named if cell.source not in ours]),
        )
    needed = {number for asked in exercises.values() for number in asked.cells}
    kept = [cell for cell in cells if cell.number in needed]
    return Plan(name, notebook, list(found), list(unanswered), kept, exercises)


def read(data: bytes, file: str) -> Plan:
    """Return the plan of a submitted file.

    Args:
        data: its contents.
        file: its name.

    Raises:
        CourseError: it cannot be read, is not a notebook of this course, or takes too long.
        RuntimeError: the process that reads it ended for another reason, such as a full memory.
        subprocess.TimeoutExpired: the machine is so busy that it took ten minutes.
    """
    if len(data) > MAX_FILE_BYTES:
        raise CourseError(f"{file} is larger than {MAX_FILE_BYTES >> 20} MiB.")
    command = [sys.executable, "-m", "siamese_course.grading.reading", clean(file, 300)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=20 * SECONDS)
    try:
        answer = json.loads(done.stdout)
    except ValueError:  # no answer
        if done.returncode not in AT_A_LIMIT:
            *_, why = ["no reason given", *done.stderr.decode(errors="replace").splitlines()]
            raise RuntimeError(f"reading ended with exit status {done.returncode}: {why}") from None
        raise CourseError(
            f"{file} cannot be read within {SECONDS} seconds and {MEMORY >> 30} GiB of memory."
        ) from None
    if "problem" in answer:
        raise CourseError(answer["problem"])
    answer["cells"] = [Cell(**cell) for cell in answer["cells"]]
    answer["exercises"] = {short: Asked(**each) for short, each in answer["exercises"].items()}
    return Plan(**answer)


def main() -> None:
    """Read a file from standard input, and write its plan, or the problem, as JSON."""
    with suppress(ImportError):  # Windows has no such limits
        import resource

        for which, limit in (
            (resource.RLIMIT_CPU, SECONDS),
            (resource.RLIMIT_DATA, MEMORY),
            (resource.RLIMIT_CORE, 0),
        ):
            # At a hard limit of processor time the signal would be the one of a full memory
            hard = resource.getrlimit(which)[1]
            soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
            resource.setrlimit(which, (soft, hard))
    file = sys.argv[1]
    try:
        checked = preflight.check(sys.stdin.buffer.read(), file)
        made = plan(checked.name, checked.notebook, checked.found, checked.unanswered)
        answer = json.dumps(asdict(made))
    except CourseError as error:
        answer = json.dumps({"problem": clean(str(error))})
    except (MemoryError, RecursionError):
        return
    sys.stdout.write(answer)


if __name__ == "__main__":
    main()

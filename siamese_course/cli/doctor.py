"""``siamese-course doctor``: examine the machine, and say what to do about each fault."""

import importlib
import platform
import sys
import tempfile
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import typer
from packaging.requirements import Requirement

from siamese_course.cli.options import console
from siamese_course.runtime import settings
from siamese_course.runtime.errors import CourseError

NEEDED_MEMORY_GIB = 2.0
NEEDED_DISK_GIB = 0.5


@dataclass(frozen=True)
class Finding:
    """The result of one check: what was found, and the remedy if it is a fault."""

    what: str
    ok: bool
    found: str
    remedy: str = ""


def doctor() -> None:
    """Check Python, versions, memory, backend, data and write access, one line each."""
    findings = examine()
    for finding in findings:
        console.print(
            "[green]ok   [/green]" if finding.ok else "[red]fault[/red]",
            f"{finding.what}: {finding.found}",
            highlight=False,
            soft_wrap=True,
        )
        if not finding.ok:
            console.print(f"      -> {finding.remedy}", highlight=False, soft_wrap=True)
    raise typer.Exit(any(not finding.ok for finding in findings))


def examine() -> list[Finding]:
    """Run all checks, in the order in which faults are best fixed."""
    return [
        python_version(),
        *package_versions(),
        memory(),
        backend(),
        data(),
        *write_access(),
    ]


def python_version() -> Finding:
    """Check that Python is 3.11 to 3.13; TensorFlow Text for Intel Macs has no wheels after 3.11."""
    found = ".".join(map(str, sys.version_info[:3]))
    intel = (platform.system(), platform.machine()) == ("Darwin", "x86_64")
    ok = (3, 11) <= sys.version_info[:2] <= ((3, 11) if intel else (3, 13))
    wanted = "Python 3.11" if intel else "Python 3.11, 3.12 or 3.13"
    return Finding(
        "Python",
        ok,
        found,
        f"Install {wanted}, delete .venv, and install the course again.",
    )


def package_versions() -> list[Finding]:
    """Check the version of every package that the course declares."""
    needed = [Requirement(line) for line in requires("siamese-course") or []]
    needed = [r for r in needed if r.marker is None or r.marker.evaluate({"extra": ""})]
    faults = [fault for requirement in needed if (fault := _version_fault(requirement))]
    found = f"{len(needed) - len(faults)} of {len(needed)} as declared"
    return [Finding("packages", True, found), *faults]


def _version_fault(requirement: Requirement) -> Finding | None:
    remedy = f"""In the course's environment: python -m pip install "{requirement}\""""
    try:
        installed = version(requirement.name)
    except PackageNotFoundError:
        return Finding(requirement.name, False, "not installed", remedy)
    if requirement.specifier.contains(installed, prereleases=True):
        return None
    return Finding(requirement.name, False, f"{installed}, needs {requirement.specifier}", remedy)


def memory() -> Finding:
    """Check that there is enough free memory for a notebook."""
    import psutil

    free = psutil.virtual_memory().available / 2**30
    return Finding(
        "memory",
        free >= NEEDED_MEMORY_GIB,
        f"{free:.1f} GiB free, a notebook needs {NEEDED_MEMORY_GIB:g}",
        "Close other programs and other notebooks' kernels.",
    )


def backend() -> Finding:
    """Check that the Keras backend can be imported and multiplies correctly."""
    try:
        keras = importlib.import_module("keras")
        total = float(
            keras.ops.sum(keras.ops.matmul(keras.ops.ones((2, 3)), keras.ops.ones((3, 2))))
        )
    except Exception as error:  # importing a half-installed backend may raise anything
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Finding(
            "Keras backend",
            False,
            reason,
            f"Set KERAS_BACKEND to an installed one of {', '.join(settings.BACKENDS)}, or delete .venv and install the course again.",
        )
    return Finding(
        "Keras backend",
        total == 12.0,
        f"{keras.backend.backend()}, Keras {keras.version()}",
        "The backend computes a wrong product: delete .venv and install the course again.",
    )


def data() -> Finding:
    """Report where MNIST would be read from, and check the files that are available."""
    from siamese_course.cli.data import whereabouts
    from siamese_course.cli.verify import verify
    from siamese_course.sources.registry import dataset

    try:
        where = next(where for data, where in whereabouts() if data.name == "mnist")
        damaged = [finding for finding in verify(dataset("mnist")) if finding.ok is False]
    except CourseError as error:
        return Finding("data", False, str(error), "Correct or unset SIAMESE_COURSE_DATA.")
    if damaged:
        first = damaged[0]
        return Finding(
            "data",
            False,
            f"{first.path}: {first.how}",
            "Replace the file: siamese-course data fetch mnist, or correct SIAMESE_COURSE_DATA.",
        )
    return Finding("data", True, f"MNIST from {where}")


def write_access() -> list[Finding]:
    """Check that the working folder and the cache are writable and have free space."""
    return [_writable("working folder", Path.cwd()), _writable("cache", settings.cache_directory())]


def _writable(what: str, folder: Path) -> Finding:
    import psutil

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder) as probe:
            probe.write(b"x")
            probe.flush()
    except OSError as error:
        remedy = "Work in a folder of your own, or set SIAMESE_COURSE_CACHE to one."
        return Finding(what, False, f"{folder} cannot be written: {error.strerror}", remedy)
    free = psutil.disk_usage(str(folder)).free / 2**30
    return Finding(
        what,
        free >= NEEDED_DISK_GIB,
        f"{folder}, {free:.1f} GiB free",
        "Free some disk space, or set SIAMESE_COURSE_CACHE to a folder on another disk.",
    )

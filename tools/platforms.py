"""Resolve the course's requirements for every platform and Python, without installing: is there a wheel of each?

    python tools/platforms.py            the table, with the pins of constraints.txt and with the ranges alone
    python tools/platforms.py --pins F   write the versions of F (pip list --format=freeze) into constraints.txt

uv resolves, because it evaluates the environment markers of the platform it is asked for. pip's ``--platform``
evaluates those of the machine it runs on. Packages of ``SOURCE_ONLY`` have no wheels, and are pure Python.
"""

import argparse
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
CONSTRAINTS = ROOT / "constraints.txt"
PYTHONS = ("3.11.0", "3.12.0", "3.13.0")
SOURCE_ONLY = ("gym", "promise")
SECONDS = 600


class Platform(NamedTuple):
    """A machine: uv's name for it, the oldest macOS, and the Pythons for which wheels exist."""

    name: str
    target: str
    macos: str = ""
    pythons: tuple[str, ...] = PYTHONS


PLATFORMS = (
    Platform("Linux, x86_64", "x86_64-manylinux_2_28"),
    Platform("Linux, aarch64", "aarch64-manylinux_2_28"),
    Platform("macOS 12 and later, Apple silicon", "aarch64-apple-darwin", "12.0"),
    # TensorFlow Text, which KerasHub requires there, has wheels of Python 3.11 and no newer one
    Platform("macOS 13 and later, Intel", "x86_64-apple-darwin", "13.0", ("3.11.0",)),
    Platform("Windows, x86_64", "x86_64-pc-windows-msvc"),
)


def resolve(platform: Platform, python: str, pinned: bool) -> tuple[list[str], str]:
    """Return the learner's packages as NAME==VERSION lines, and why there are none if so."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "pyproject.toml", "--extra", "lab"]
    command += ["--quiet", "--no-header", "--no-annotate", "--only-binary", ":all:"]
    for name in SOURCE_ONLY:
        command += ["--no-binary", name]
    command += ["--python-platform", platform.target, "--python-version", python]
    if pinned:
        command += ["--constraints", str(CONSTRAINTS)]
    environment = os.environ | {"MACOSX_DEPLOYMENT_TARGET": platform.macos or "13.0"}
    run = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=SECONDS
    )
    return run.stdout.split() if run.returncode == 0 else [], run.stderr.strip()


def lower_bounds() -> list[str]:
    """Return the oldest version that pyproject.toml admits of each package of the learner, as NAME==VERSION lines."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["lab"]]
    requirements = [Requirement(line) for line in lines]
    # 2.16 has no patch release 0: what counts is the oldest one there is
    return [f"{r.name}=={specifier.version}.*" for r in requirements for specifier in r.specifier]


def table() -> bool:
    """Print a row for each platform and Python; return whether all that should resolve do."""
    print("| platform | Python | pins | ranges |\n|---|---|---|---|")
    good, reasons = True, []
    for platform in PLATFORMS:
        for python in PYTHONS:
            cells = []
            for pinned in (True, False):
                packages, reason = resolve(platform, python, pinned)
                cells.append(f"{len(packages)} packages" if packages else "no")
                if not packages and python in platform.pythons:
                    good = False
                    reasons.append(f"{platform.name}, {python}: {reason}")
            print(f"| {platform.name} | {python} | {' | '.join(cells)} |", flush=True)
    print("\n".join(reasons))
    return good


def with_versions(constraints: str, frozen: str) -> str:
    """Put versions into constraints; of lines with markers only those of this machine change."""
    versions = {
        canonicalize_name(name): line for line in frozen.split() for name in [line.split("==")[0]]
    }
    comment, *lines = constraints.splitlines()
    split = next(i for i, line in enumerate(lines) if line.startswith("#"))
    plain, marked = lines[:split], lines[split:]
    for number, line in enumerate(marked):
        if not line.startswith("#"):
            requirement = Requirement(line)
            new = versions.get(canonicalize_name(requirement.name))
            if new and requirement.marker and requirement.marker.evaluate():
                marked[number] = f"{new}; {requirement.marker}"
    by_marker = {canonicalize_name(Requirement(line).name) for line in marked if line[0] != "#"}
    old = {canonicalize_name(line.split("==")[0]): line for line in plain}
    new_plain = {name: line for name, line in (old | versions).items() if name not in by_marker}
    return "\n".join([comment, *(new_plain[name] for name in sorted(new_plain)), *marked, ""])


def main() -> None:
    """Print the table, or write pins."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pins", type=Path, help="what pip list --format=freeze printed")
    pins = parser.parse_args().pins
    if pins:
        text = with_versions(CONSTRAINTS.read_text("utf-8"), pins.read_text("utf-8"))
        CONSTRAINTS.write_text(text, "utf-8")
        return
    sys.exit(not table())


if __name__ == "__main__":
    main()

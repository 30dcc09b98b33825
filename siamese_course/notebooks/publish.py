"""Write the course's address on GitHub where it belongs, or remove it everywhere.

Until a publisher sets one, no page names an address: somebody else could register it.
"""

import re
from collections.abc import Callable
from pathlib import Path

import requests
from nbformat import NotebookNode

from siamese_course.notebooks.build import BADGE, build
from siamese_course.notebooks.catalog import ROOT, require_repository
from siamese_course.runtime.errors import CourseError

README = ROOT / "README.md"
CITATION = ROOT / "CITATION.cff"
PYPROJECT = ROOT / "pyproject.toml"
REPOSITORY = re.compile(r"[\w-]+/[\w.-]+")
BRANCH = re.compile(r"[\w./-]+")
# A link to a solved notebook, and the badge after it if there is one
SOLVED = re.compile(
    r"(\(\[solved\]\(notebooks/solutions/(\w+)\.ipynb\)\))(?: \[!\[[^\]]*\]\([^)]*\)\]\([^)]*\))?"
)
SECONDS = 10


def publish(
    release: Callable[[NotebookNode], NotebookNode], github: str, branch: str = "main"
) -> list[Path]:
    """Set the address in pyproject.toml, README.md, CITATION.cff and all notebooks, outputs kept.

    Args:
        release: makes the learner's notebook of a source (``grading.authoring.release``).
        github: OWNER/NAME of the repository, or "" to remove the address.
        branch: that badges and first cells lead to.

    Returns:
        The files written.

    Raises:
        CourseError: not an address, not a clone of the course, or GitHub has no such branch.
    """
    require_repository()
    if github and not REPOSITORY.fullmatch(github):
        raise CourseError(f"--github is {github!r}, and must be OWNER/NAME.")
    if not BRANCH.fullmatch(branch):
        raise CourseError(f"--branch is {branch!r}, and must be the name of a branch.")
    if github:
        _require_reachable(github, branch)
    PYPROJECT.write_text(in_pyproject(PYPROJECT.read_text("utf-8"), github, branch), "utf-8")
    README.write_text(in_readme(README.read_text("utf-8"), github, branch), "utf-8")
    CITATION.write_text(in_citation(CITATION.read_text("utf-8"), github), "utf-8")
    return [PYPROJECT, README, CITATION, *build(release, text_only=True)]


def in_pyproject(text: str, github: str, branch: str) -> str:
    """Return pyproject.toml with another address."""
    text = re.sub(r'(?m)^github = ".*"$', f'github = "{github}"', text)
    return re.sub(r'(?m)^branch = ".*"$', f'branch = "{branch}"', text)


def in_readme(text: str, github: str, branch: str) -> str:
    """Return README.md with a Colab badge beside each solved notebook, or without badges."""

    def with_badge(match: re.Match) -> str:
        badge = f" {BADGE}".format(github=github, branch=branch, name=match[2]) if github else ""
        return match[1] + badge

    return SOLVED.sub(with_badge, text)


def in_citation(text: str, github: str) -> str:
    """Return CITATION.cff with the repository's address, or without."""
    lines = [line for line in text.splitlines() if not line.startswith("repository-code:")]
    if github:
        lines.append(f'repository-code: "https://github.com/{github}"')
    return "\n".join(lines) + "\n"


def _require_reachable(github: str, branch: str) -> None:
    """Refuse an address that GitHub does not have; without a network, print that it is not checked."""
    address = f"https://github.com/{github}/tree/{branch}"
    try:
        status = requests.head(address, timeout=SECONDS, allow_redirects=True).status_code
    except requests.RequestException:
        print(f"{address} could not be checked: there is no network.")
        return
    if status >= 400:
        raise CourseError(f"{address} answers {status}. Push the course there first.")

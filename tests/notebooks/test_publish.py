"""The address of the course: nowhere until a publisher sets it, then everywhere."""

import importlib.util
import re
import subprocess
import tomllib

import pytest
import requests

from siamese_course.notebooks import publish as publishing
from siamese_course.notebooks.build import with_address
from siamese_course.notebooks.catalog import CATALOG, NAMES, ROOT
from siamese_course.runtime.errors import CourseError

README = (ROOT / "README.md").read_text("utf-8")
CITATION = (ROOT / "CITATION.cff").read_text("utf-8")
PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
BADGES = r"https://colab\.research\.google\.com/github/[^)\s\"]+"


def test_no_page_and_no_source_names_an_address_of_its_own():
    address = tomllib.loads(PYPROJECT)["tool"]["siamese-course"]
    badges = re.findall(BADGES, README)
    assert len(badges) == (len(NAMES) if address["github"] else 0)
    assert publishing.in_readme(README, **address) == README
    assert publishing.in_citation(CITATION, address["github"]) == CITATION
    for entry in CATALOG:
        assert "github.com" not in entry.source.read_text("utf-8").split("# ## The data")[0]


def test_an_address_goes_everywhere_and_away_again():
    readme = publishing.in_readme(README, "a/fork", "trunk")
    place = "https://colab.research.google.com/github/a/fork/blob/trunk/notebooks/"
    assert re.findall(BADGES, readme) == [f"{place}{name}.ipynb" for name in NAMES]
    other = publishing.in_readme(readme, "b/other", "main")
    assert "a/fork" not in other and other.count("b/other/blob/main") == len(NAMES)
    assert not re.findall(BADGES, publishing.in_readme(other, "", "main"))
    citation = publishing.in_citation(CITATION, "a/fork")
    assert citation.endswith('repository-code: "https://github.com/a/fork"\n')
    assert "repository-code" not in publishing.in_citation(citation, "")
    written = publishing.in_pyproject(PYPROJECT, "a/fork", "trunk")
    settings = tomllib.loads(written)["tool"]["siamese-course"]
    assert settings == {"github": "a/fork", "branch": "trunk"}


def test_a_first_cell_installs_from_the_address_if_there_is_one():
    for entry in CATALOG:
        text = entry.source.read_text("utf-8")
        without = with_address(text, entry.name, "", "main")
        assert "{{" not in without and "github.com" not in without.split("# ## Setup")[0]
        there = with_address(text, entry.name, "a/fork", "trunk")
        assert '"git+https://github.com/a/fork@trunk"' in there
        assert f"github/a/fork/blob/trunk/notebooks/{entry.name}.ipynb" in there


def test_a_first_cell_takes_the_wheel_beside_it_or_the_address_or_says_what_is_missing(
    tmp_path, monkeypatch
):
    commands = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SIAMESE_COURSE_PACKAGE", raising=False)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(subprocess, "check_call", commands.append)

    def first_cells(github):
        for entry in CATALOG:
            text = with_address(entry.source.read_text("utf-8"), entry.name, github, "main")
            yield re.search(r"# %%\n(import importlib\.util\n.*?)# %%", text, re.DOTALL)[1]

    for cell in first_cells(""):
        with pytest.raises(SystemExit, match=r"put its wheel, siamese_course-\*\.whl, beside"):
            exec(cell, {})
    for cell in first_cells("a/fork"):
        exec(cell, {})
    (tmp_path / "siamese_course-0.1.0-py3-none-any.whl").touch()
    for cell in first_cells(""):
        exec(cell, {})
    assert [command[-1] for command in commands] == [
        *["git+https://github.com/a/fork@main"] * len(CATALOG),
        *["siamese_course-0.1.0-py3-none-any.whl"] * len(CATALOG),
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [(("nobody", "main"), "--github is 'nobody'"), (("a/b", "x y"), "--branch is 'x y'")],
)
def test_what_is_no_address_is_refused(arguments, message):
    with pytest.raises(CourseError, match=message):
        publishing.publish(lambda notebook: notebook, *arguments)


def test_an_address_that_github_does_not_have_is_refused(monkeypatch, capsys):
    answer = requests.Response()
    answer.status_code = 404
    monkeypatch.setattr(requests, "head", lambda *arguments, **options: answer)
    with pytest.raises(CourseError, match="answers 404"):
        publishing._require_reachable("a/fork", "main")

    def no_network(*arguments, **options):
        raise requests.ConnectionError

    monkeypatch.setattr(requests, "head", no_network)
    publishing._require_reachable("a/fork", "main")
    assert "could not be checked" in capsys.readouterr().out

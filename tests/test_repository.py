"""What people expect of a public repository agrees with the course."""

import re
import tomllib

import yaml

from siamese_course import __version__
from tests.conftest import ROOT, UNIX_ONLY

WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/tests.yml").read_text("utf-8"))


def test_github_tests_three_systems_and_every_python_that_is_declared():
    matrix = WORKFLOW["jobs"]["tests"]["strategy"]["matrix"]
    assert [name.split("-")[0] for name in matrix["os"]] == ["ubuntu", "macos", "windows"]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    low, high = re.findall(r"3\.(\d+)", project["requires-python"])
    assert matrix["python"] == [f"3.{minor}" for minor in range(int(low), int(high))]


def test_the_citation_and_the_changes_are_those_of_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    assert citation["version"] == __version__
    assert f"\n## {__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


def test_pre_commit_runs_the_ruff_of_the_constraints_and_checks_the_workflows():
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    revisions = {hook["id"]: each["rev"] for each in settings["repos"] for hook in each["hooks"]}
    pinned = re.search(r"^ruff==(.+)$", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    assert revisions["ruff-check"] == revisions["ruff-format"] == f"v{pinned[1]}"
    assert "check-github-workflows" in revisions


def test_make_installs_every_extra_that_tests_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    installed = set(re.findall(r"\w+", " ".join(re.findall(r"-e '\.\[(.*?)\]'", makefile))))
    # dev contains the others
    assert project["optional-dependencies"].keys() - installed == {
        "cluster",
        "instructor",
        "openvino",
    }


def test_contributing_names_all_tests_that_make_runs():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = re.findall(r"^(test[\w-]*):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert "test-interop" in targets
    assert [target for target in targets if f"make {target}" not in text] == []


def test_windows_collects_no_test_of_what_only_unix_has():
    """Resource limits and forks: the sandbox of grading, and the mutants."""
    only_unix = re.compile(
        r"^(import resource|from tools import .*mutants|from siamese_course\.grading"
        r"(\.(run|sandbox|session|worker)\b| import .*\b(run|sandbox|session|worker)\b))",
        re.MULTILINE,
    )
    tests = ROOT / "tests"
    found = {
        path.relative_to(tests).as_posix()
        for path in tests.rglob("test_*.py")
        if only_unix.search(path.read_text("utf-8"))
    }
    assert found == set(UNIX_ONLY)


def test_github_grades_in_the_container_with_the_options_of_its_recipe():
    steps = WORKFLOW["jobs"]["grading-container"]["steps"]
    commands = "\n".join(step.get("run", "") for step in steps)
    recipe = (ROOT / "docs/grading.Dockerfile").read_text("utf-8")
    assert re.search(r"docker build .*", recipe)[0] in commands
    options = [
        re.findall(r"--(?:security-opt|cap-add|network) \S+", each) for each in (recipe, commands)
    ]
    assert len(options[0]) == 5
    assert options[0] == options[1]
    answer = re.search(r'"\$PWD/(tests/.*?):/grading:ro".*? /grading/(\S+)', commands, re.DOTALL)
    assert (ROOT / answer[1] / answer[2]).is_file()


def test_the_container_installs_what_a_learner_installs():
    recipe = (ROOT / ".binder/Dockerfile").read_text("utf-8")
    assert 'pip install --no-cache-dir -c constraints.txt -e ".[lab]"' in recipe
    assert re.search(r"^USER \$\{NB_USER\}$", recipe, re.MULTILINE)

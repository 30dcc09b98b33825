"""The copy of the course that submissions run with has no answers in it."""

import ast
import os
import subprocess
import sys

import pytest

from siamese_course.grading import cells, package
from siamese_course.notebooks.catalog import NAMES


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return package.copy_without_answers(tmp_path_factory.mktemp("course"))


def test_no_answer_and_no_check_is_left(course):
    found = [path for path in course.rglob("*") if path.suffix in (".py", ".json", ".ipynb")]
    texts = {path: path.read_text("utf-8") for path in found}
    assert not any(path.name == "solutions.json" for path in found)
    for line in (
        "scale_scores(score) / ",
        "margin - positive + closest",
        "score / 2.5 - 1.0",
        "MISTAKES = [",
    ):
        assert not [path for path, text in texts.items() if line in text], line


def test_every_reference_is_gone(course):
    for name in NAMES:
        for exercise in cells.release(name).exercises.values():
            for function in exercise.reference:
                module = function.__module__.removeprefix("siamese_course.").replace(".", "/")
                text = (course / "siamese_course" / f"{module}.py").read_text("utf-8")
                left = [
                    n
                    for n in ast.walk(ast.parse(text))
                    if isinstance(n, ast.FunctionDef) and n.name == function.__name__
                ]
                assert all("are not available here" in ast.unparse(node) for node in left), function


@pytest.mark.parametrize("name", ["mnist_contrastive", "quora_triplet"])
def test_calls_of_checks_do_nothing(course, name):
    path = course / "siamese_course" / "exercises" / name / "__init__.py"
    space: dict = {"__name__": name}
    exec(path.read_text("utf-8"), space)
    exercise = space["__getattr__"]("distance")
    assert exercise.check(len) is exercise.hint(2) is exercise.solution(show=True) is None
    assert exercise.use(len) is len
    assert exercise.use(len, abs) == (len, abs)
    with pytest.raises(AttributeError):
        space["__getattr__"]("__path__")


@pytest.mark.slow
def test_the_notebooks_imports_still_work(course):
    imports = []
    for name in NAMES:
        for cell in cells.code_cells(cells.release(name).notebook):
            if not cell.exercise:
                try:
                    tree = ast.parse(cell.source)
                except SyntaxError:
                    continue
                imports += [
                    ast.unparse(n) for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)
                ]
    assert any("siamese_course" in line for line in imports)
    code = (
        "\n".join(dict.fromkeys(imports))
        + "\nimport siamese_course; print(siamese_course.__file__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=course,
        env={"PYTHONPATH": str(course), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(course))


def test_a_kept_copy_that_lost_a_file_is_made_again(own_cache, monkeypatch):
    def copy(folder):
        (folder / "inner").mkdir()
        (folder / "inner" / "a.py").write_text("")
        made.append(folder)
        return folder

    made = []
    monkeypatch.setattr(package, "copy_without_answers", copy)
    kept = package.kept_copy()
    assert package.kept_copy() == kept and len(made) == 1
    (kept / "inner" / "a.py").unlink()
    assert package.kept_copy() == kept and len(made) == 2
    assert (kept / "inner" / "a.py").exists()
    assert list(own_cache.iterdir()) == [kept]


def test_old_copies_that_another_process_deletes_stop_nobody(own_cache, monkeypatch):
    """It may do so after they were listed."""
    (own_cache / "grading-gone").symlink_to("nowhere")
    old = own_cache / "grading-old"
    old.mkdir()
    os.utime(old, (0, 0))
    monkeypatch.setattr(package, "copy_without_answers", lambda folder: folder)
    assert package.kept_copy().is_dir()
    assert not old.exists()

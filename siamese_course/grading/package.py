"""Make the copy of the course that submissions run with, without its answers."""

import ast
import compileall
import hashlib
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from siamese_course.runtime.settings import cache_directory

HERE = Path(__file__).resolve().parents[1]
KEPT_CHECKS = {"__init__.py", "observe.py", "record.py"}
# Whatever computes what an exercise asks for, by module
ANSWERS = {
    "losses": None,  # None: every function
    "evaluation": None,
    "search": None,
    "recipes/images": None,
    "recipes/questions": None,
    "recipes/sentences": None,
    "recipes/omniglot": None,
    "recipes/image_encoders": None,
    "models/images": None,
    "models/questions": None,
    "models/questions_trax": None,
    "models/sentences": {"pool", "build_siamese"},
    "batching/sentences": {"pad_rows", "length_batches", "random_batches"},
    "batching/images": {"classic_pairs", "balanced_pairs"},
    "batching/episodes": {"class_batches", "draw_episode", "rotated_classes", "split_alphabets"},
    "batching/tokens": {"build_vocabulary", "encode"},
    "batching/questions": {"classic_batches", "group_batches"},
}
SECONDS_KEPT = 7 * 24 * 3600
LIST = "files.txt"
"""Names the files of a kept copy."""
NO_CHECKS = '''"""Checks do not run here: `use` returns the learner's functions, everything else nothing."""


class Exercise:
    def use(self, *answers):
        return answers[0] if len(answers) == 1 else answers

    def __getattr__(self, name):
        return lambda *arguments, **options: None


def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return Exercise()
'''
GONE = "raise RuntimeError('The answers of the course are not available here: write the function yourself.')"


def copy_without_answers(folder: Path) -> Path:
    """Copy the package to a folder without its answers; return the folder."""
    target = folder / "siamese_course"
    ignored = shutil.ignore_patterns("__pycache__", "shipped", "presets")
    shutil.copytree(HERE, target, ignore=ignored)
    for place in (target / "shipped", folder / "data"):
        original = HERE.parent / "data" if place.parent == folder else HERE / "shipped"
        if original.is_dir():
            shutil.copytree(original, place, ignore=ignored)
    exercises = target / "exercises"
    for path in exercises.rglob("*.*"):
        if path.parent == exercises and path.name in KEPT_CHECKS:
            continue
        if path.suffix == ".py":
            path.write_text(NO_CHECKS if path.name == "__init__.py" else "", "utf-8")
        else:
            path.unlink()
    for name, functions in ANSWERS.items():
        path = target / f"{name}.py"
        path.write_text(without_answers(path.read_text("utf-8"), functions), "utf-8")
    compileall.compile_dir(target, quiet=1)  # the sandbox cannot write the bytecode
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    return folder


def kept_copy() -> Path:
    """Return a copy without answers in the course's cache folder, made again when the course changes.

    It is for sandboxes that cannot write to it. A run that is killed leaves no other copy behind.
    """
    files = [p for p in sorted(HERE.rglob("*")) if p.is_file() and "__pycache__" not in p.parts]
    state = [(str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in files]
    name = f"grading-{hashlib.sha256(repr(state).encode()).hexdigest()[:16]}"
    folder = cache_directory() / name
    if not _is_whole(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        for old in folder.parent.glob("grading-*"):
            with suppress(OSError):  # another process has just deleted it
                if time.time() - old.stat().st_mtime > SECONDS_KEPT:  # others may be in use
                    shutil.rmtree(old, ignore_errors=True)
        part = Path(tempfile.mkdtemp(prefix="grading-part-", dir=folder.parent))
        try:
            copy = copy_without_answers(part)
            names = [p.relative_to(copy).as_posix() for p in copy.rglob("*") if p.is_file()]
            (copy / LIST).write_text("\n".join(names), "utf-8")
            if not _is_whole(folder):
                shutil.rmtree(folder, ignore_errors=True)
            os.replace(copy, folder)
        except OSError:  # another run was faster
            shutil.rmtree(part)
            if not folder.is_dir():
                raise
    return folder


def _is_whole(folder: Path) -> bool:
    """Whether all files of a kept copy are there: what cleans caches deletes old ones."""
    try:
        names = (folder / LIST).read_text("utf-8").splitlines()
    except OSError:
        return False
    return all((folder / name).is_file() for name in names)


def without_answers(source: str, functions: set[str] | None) -> str:
    """Return source code in which these functions of a module (all if None) only raise an error.

    So do all methods of its classes.
    """
    tree = ast.parse(source)
    gone = ast.parse(GONE).body
    methods = [each for node in tree.body if isinstance(node, ast.ClassDef) for each in node.body]
    for node in [*tree.body, *methods]:
        if isinstance(node, ast.FunctionDef) and (
            functions is None or node.name in functions or node in methods
        ):
            node.body = gone
    return ast.unparse(tree)

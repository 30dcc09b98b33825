"""Make the copy of the course that submissions run with, without its answers."""

import ast
import shutil
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
KEPT_CHECKS = {"__init__.py", "observe.py", "record.py"}
# Whatever computes what an exercise asks for, by module
ANSWERS = {
    "losses": None,  # None: every function
    "evaluation": None,
    "search": None,
    "training/images": None,
    "training/questions": None,
    "training/sentences": None,
    "models/images": None,
    "models/questions": None,
    "models/questions_trax": None,
    "models/sentences": {"pool"},
    "batching/sentences": {"pad_rows", "pad_sides", "length_batches", "random_batches"},
    "batching/images": {"classic_pairs", "balanced_pairs"},
    "batching/tokens": {"build_vocabulary", "encode"},
    "batching/questions": {
        "classic_batches",
        "_classic_batches",
        "group_batches",
    },
}
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
            path.write_text('"""Checks do not run here."""\n', "utf-8")
        else:
            path.unlink()
    for name, functions in ANSWERS.items():
        path = target / f"{name}.py"
        path.write_text(without_answers(path.read_text("utf-8"), functions), "utf-8")
    for path in folder.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    folder.chmod(0o755)
    return folder


def without_answers(source: str, functions: set[str] | None) -> str:
    """Return source code in which these functions of a module (all if None) only raise an error."""
    tree = ast.parse(source)
    gone = ast.parse(GONE).body
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and (functions is None or node.name in functions):
            node.body = gone
    return ast.unparse(tree)

"""The course's preset before and after fine-tuning, beside random weights of its shape; and what it learned first."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.common import fingerprint, work_folder
from siamese_course.runtime import settings
from siamese_course.runtime.shipped import shipped
from siamese_course.runtime.startup import halve_cores

PRESET = "presets/course_roberta_en"
SCRIPTS = Path(__file__).resolve().parents[1] / "tools"


def pretrained(**case) -> dict:
    """The preset as it ships."""
    return measures(load_weights=True, **case)


def random_weights(**case) -> dict:
    """Its shape and its tokenizer, and nothing learned."""
    return measures(load_weights=False, **case)


def measures(task: str, load_weights: bool, budget: str = "full") -> dict:
    """Before and after the course recipe, on the validation data, as ``siamese-course train`` does it."""
    halve_cores()
    from siamese_course.datasets.sentences import load_scored_pairs, load_triplets
    from siamese_course.models.sentences import OWN_PRESET
    from siamese_course.recipes import sentences as recipes

    if task == "triplets":
        data = load_triplets(verbose=False)
        run, options, key, said = recipes.run_triplets, {}, "accuracy", "accuracy"
        mark = fingerprint(data.validation.anchor, data.train.anchor)
    else:
        data = load_scored_pairs(verbose=False)
        run, options, key, said = recipes.run_pairs, {}, "spearman", "Spearman"
        mark = fingerprint(data.validation.sentence1, data.train.sentence1)
    options |= {"load_weights": load_weights, "verbose": False}
    _, report = run("course", OWN_PRESET, data, budget, **options)
    return {
        f"{said} before": report[f"{key}_before"],
        f"{said} after": report[key],
        "seconds": report["seconds"],
        "data": mark,
    }


def masked_tokens(task: str) -> dict:
    """What score.py finds on the paragraphs that pretrain.py kept from the training; seconds to load, too.

    Raises:
        FileNotFoundError: SIAMESE_COURSE_DATA has no corpora/enwiki.txt.xz.
    """
    pretrain = script("pretrain")
    paragraphs = list(pretrain.paragraphs(settings.data_directory() / "corpora" / "enwiki.txt.xz"))
    text = work_folder() / "held_out.txt"
    text.write_text(
        "\n".join(pretrain.held_out(paragraphs, np.random.default_rng(0))[1]) + "\n", "utf-8"
    )
    command = [sys.executable, str(SCRIPTS / "score.py"), str(shipped(PRESET)), "--text", str(text)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "masked-token accuracy": found["masked_accuracy"],
        "masked tokens": found["masked_tokens"],
        "seconds to the first embedding": found["load_seconds"],
    }


def script(name: str):
    """A script of data/presets as a module: it is in no package."""
    spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

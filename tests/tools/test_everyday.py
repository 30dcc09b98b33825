"""Everyday sentences: made from frames and tables, the same with the same seed, none of the course's own."""

import importlib.util
import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "tools" / "everyday.py"
FRAMES = ROOT / "tools" / "everyday_frames.txt"


def write(*options):
    """The sentences that the script prints."""
    command = [sys.executable, str(SCRIPT), *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def everyday():
    spec = importlib.util.spec_from_file_location("everyday", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["everyday"] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def test_a_frame_gives_every_sentence_once_and_no_other(tmp_path):
    frames = tmp_path / "frames.txt"
    frames.write_text("(One|The) (gray |)owl (hoots|sings (softly|)) tonight.\n", encoding="utf-8")
    found = write("--frames", frames, "--sentences", 100)
    assert sorted(found) == sorted(
        f"{article} {color}owl {verb} tonight."
        for article in ("One", "The")
        for color in ("gray ", "")
        for verb in ("hoots", "sings softly", "sings")
    )


def test_the_seed_decides():
    first, again, other = (write("--sentences", 50, "--seed", seed) for seed in (1, 1, 2))
    assert first == again != other
    assert len(set(first)) == 50


def test_none_is_the_courses_own(tmp_path):
    own = (ROOT / "data" / "questions" / "questions.tsv").read_text(encoding="utf-8")
    question = own.splitlines()[1].split("\t")[-1]
    frames = tmp_path / "frames.txt"
    frames.write_text(f"{question}\nOwls hoot at night here.\n", encoding="utf-8")
    assert write("--frames", frames, "--sentences", 10) == ["Owls hoot at night here."]


@pytest.mark.parametrize(
    "path",
    [FRAMES.with_name(f"everyday_{name}.txt") for name in ("frames", "situations", "near_misses")],
)
def test_frames_on_file_are_whole(everyday, path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert len(set(lines)) == len(lines) > 3_000
    writer = everyday.Writer({"words": {}, "people": {}, "irregular": "", "domain": []}, seed=0)
    for number, line in enumerate(lines, 1):
        assert line.isascii(), number
        assert not re.search(r"[{}<>~\[\]\\\"]", line), number
        for _ in range(3):
            text = writer.expand(line)
            assert "(" not in text, number
            assert ")" not in text, number
            assert 3 <= len(text.split()) <= 25, (number, text)
            assert text.rstrip().endswith((".", "?", "!")), (number, text)

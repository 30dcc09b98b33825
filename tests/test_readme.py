"""The README is short, its links lead somewhere, and its example runs."""

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

README = (ROOT / "README.md").read_text("utf-8")


def test_it_is_short():
    assert len(README.splitlines()) <= 130


def test_its_links_lead_to_files():
    links = [link for link in re.findall(r"\]\(([^)#]+)", README) if "://" not in link]
    assert len(links) > 10
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_losses_of_its_table_exist():
    from siamese_course import losses

    section = README.split("## Which loss for which data?")[1].split("\n## ")[0]
    names = re.findall(r"`(\w+_loss)`", section)
    assert len(names) == 9
    assert all(callable(getattr(losses, name)) for name in names)


@pytest.mark.slow
def test_its_example_runs(tmp_path, shipped, monkeypatch):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    lines = ["sentence1\tsentence2\tscore"]
    lines += [f"A {one} sleeps.\tA {one} is asleep.\t5" for one in ("dog", "cat", "baby", "man")]
    lines += [f"A {one} sleeps.\tRain falls on a roof.\t0" for one in ("dog", "cat", "baby", "man")]
    for name in ("train.tsv", "test.tsv"):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "collection.txt").write_text("A dog.\nA cat.\nRain.\n")
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "smoke")
    command = [sys.executable, "-c", f"{example}\nprint(rows.shape)"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr[-2000:]
    assert "'spearman': 0." in run.stdout
    assert run.stdout.endswith("(1, 3)\n")

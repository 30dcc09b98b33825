"""The README is short, its links lead somewhere, and its commands run."""

import re
import shlex
import shutil
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
    assert len(names) == 11
    assert all(callable(getattr(losses, name)) for name in names)


@pytest.mark.slow
def test_its_commands_for_own_data_run(tmp_path, shipped, monkeypatch):
    section = README.split("## Your own data")[1].split("\n## ")[0]
    (block,) = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    shutil.copy(ROOT / "data/sentences/pairs.tsv", tmp_path)
    (tmp_path / "collection.txt").write_text("A dog.\nA cat.\nRain.\n")
    monkeypatch.setenv("SIAMESE_COURSE_BUDGET", "smoke")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    for line in block.splitlines():
        command = [
            sys.executable,
            "-m",
            "siamese_course.cli",
            *shlex.split(line, comments=True)[1:],
        ]
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert run.returncode == 0, (line, run.stderr[-2000:])
    assert "Rain." in run.stdout

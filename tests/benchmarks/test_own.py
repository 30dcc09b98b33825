"""The same job by the course and by a peer: lines are counted alike, and hits are scored by one function."""

import pytest

from benchmarks.own import run
from tests.conftest import ROOT


def test_neither_text_nor_layout_counts(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        '"""A docstring\nof two lines."""\n\nimport os\n\n# why\nvalues = [\n    1,  # one\n    2,\n]\n'
        'for value in values:\n    print(value, """two\nlines""", os.sep)\n'
    )
    assert run.lines_of_code(script) == {"lines": 8, "statements": 4}


@pytest.mark.parametrize(("job", "page"), [("sentences", "sentences"), ("images", "photos")])
def test_the_course_needs_no_more_lines_than_the_peer(job, page):
    course, peer = (
        run.lines_of_code(run.FOLDER / f"{job}_{side}.py") for side in ("course", "peer")
    )
    assert course["lines"] <= peer["lines"]
    assert course["statements"] <= peer["statements"]
    text = " ".join((ROOT / f"docs/your-{page}.md").read_text("utf-8").split())
    assert f"[{course['lines']} lines](" in text and f"[{peer['lines']} lines with " in text


def test_a_hit_is_right_if_it_is_of_the_class_of_the_query(monkeypatch):
    monkeypatch.setattr(run, "QUERIES", 2)
    classes = [digit for digit in range(10) for _ in range(2)]
    hits = [[str(digit), str(digit % 5), "0", "0"] for digit in classes]
    assert run.first_hits("images", hits) == 0.5
    with pytest.raises(ValueError):
        run.first_hits("images", hits[1:])


@pytest.mark.slow
def test_both_sides_do_the_job_on_the_same_images(tmp_path, monkeypatch, shipped):
    for package in ("torch", "pytorch_metric_learning", "datasets"):
        pytest.importorskip(package, reason=f"{package} is not installed: it is in the bench extra")
    monkeypatch.setenv("BENCH_WORK", str(tmp_path))
    for name, number in (("PHOTOS", 20), ("QUERIES", 5)):
        monkeypatch.setattr(run, name, number)
    run.prepare("images")
    course, peer = run.course("images"), run.peer("images")
    assert course["data"] == peer["data"]
    assert min(course["first hit right"], peer["first hit right"]) > 0.5

"""The runner: sides take turns in processes of their own; ratios, growth and the table are right."""

import json
import shutil
import time

import psutil
import pytest

from benchmarks import run
from benchmarks.rows import ROWS, Row
from benchmarks.side import function_of

FAKE = "tests.benchmarks.fake_sides"
SIDES = {"course": f"{FAKE}:one", "peer": f"{FAKE}:other"}


def measured(tmp_path, row, **options):
    settings = {"tiny": False, "repeats": None, "out": tmp_path, "work": tmp_path, **options}
    return run.run_row("fake", row, **settings)


def test_a_row_has_all_values_their_spread_and_ratios(tmp_path):
    cases = [{"size": 1}, {"size": 10, "repeats": 1}]
    row = Row("Fake", SIDES, cases, repeats=2, grows="rows")
    report = measured(tmp_path, row)
    assert json.loads((tmp_path / "fake.json").read_text()) == report
    small, large = report["cases"]
    seconds = small["sides"]["course"]["measures"]["seconds"]
    assert seconds == {"median": 2.0, "least": 2.0, "most": 2.0, "values": [2.0, 2.0]}
    assert small["ratios"]["peer"]["seconds"]["median"] == 0.5
    assert large["ratios"]["peer"]["seconds"]["values"] == [0.05]
    assert len(set(small["sides"]["peer"]["measures"]["pid"]["values"])) == 2
    assert small["sides"]["course"]["more"]["curve"] == [[1, 2]]
    assert report["growth"]["course"]["seconds"] == 1.0
    assert report["growth"]["peer"]["seconds"] == 2.0
    assert (tmp_path / "fake_1.txt").read_text() == "where"
    assert {"processor", "cores", "python"} <= set(report["machine"])
    assert "numpy" in report["versions"]


@pytest.mark.parametrize(
    ("flags", "expected"), [("avx512_bf16", "Any Xeon"), ("amx_bf16 amx_tile", "Any Xeon, AMX")]
)
def test_a_processor_with_matrix_instructions_is_another_one(flags, expected):
    core = f"model name\t: Any Xeon\nflags\t\t: fpu {flags}\n"
    assert run.processor(core * 2) == expected


def test_the_table_shows_each_measure_beside_the_others(tmp_path):
    measured(tmp_path, Row("Fake", SIDES, [{"size": 1000}], repeats=1))
    text = run.markdown(tmp_path)
    assert "| size 1,000, seconds | course: 2,000 | peer: 4,000,000; ratio 0.000500 |" in text
    assert "| size 1,000, AUC | course: 0.500 |  |" in text
    assert "process MiB" not in text
    assert "Rows `fake` (1 repeat, " in text


def test_the_table_names_what_was_not_measured_and_the_title_of_today(tmp_path, monkeypatch):
    row = Row("Fake", {"course": f"{FAKE}:one"}, [{"size": 1}, {"size": 2}, {"size": 3}])
    report = measured(tmp_path, row, repeats=1)
    monkeypatch.setitem(run.ROWS, "fake", Row("Today", row.sides, row.cases, tiny=[{"size": 1}]))
    assert not any("not measured" in line for line in run.table([report]))
    report |= {"cases": report["cases"][:1], "failed": ["size 2"]}
    title, *_, last = run.table([report])[2:]
    assert title == "| **Today** (`fake`) | | |"
    assert last == "| not measured: size 2 (failed); size 3 | | |"
    report |= {"failed": [], "command": f"{report['command']} --tiny"}
    assert not any("not measured" in line for line in run.table([report]))


def test_the_sides_take_turns(tmp_path, monkeypatch):
    order = []
    monkeypatch.setattr(run, "measure", lambda address, case, work: order.append(address) or {})
    run.run_case(Row("Fake", {"a": "a", "b": "b"}), {}, 3, tmp_path, say=lambda line: None)
    assert order == ["a", "b", "b", "a", "a", "b"]


def test_repeats_are_added_to_those_on_file(tmp_path, monkeypatch):
    row = Row("Fake", SIDES, [{"size": 1}, {"size": 10}], grows="rows")
    monkeypatch.setattr(run, "commit", lambda: "first")
    before = measured(tmp_path, row, repeats=2)
    monkeypatch.setattr(run, "commit", lambda: "second")
    row.cases.append({"size": 100})
    report = measured(tmp_path, row, repeats=1, add=True)
    assert report["commit"] == "first, second"
    assert report["growth"]["peer"]["seconds"] == 2.0
    old, new = (
        [one["sides"]["peer"]["measures"]["pid"]["values"] for one in each["cases"]]
        for each in (before, report)
    )
    assert [len(values) for values in new] == [3, 3, 1]
    assert [values[:2] for values in new[:2]] == old


def test_results_of_another_processor_stay_beside_the_new_ones(tmp_path, monkeypatch):
    row = Row("Fake", SIDES, [{"size": 1000}], repeats=1, highlight="size 1,000, seconds")
    monkeypatch.setitem(run.ROWS, "fake", row)
    here = run.machine()
    monkeypatch.setattr(run, "machine", lambda: {**here, "processor": "old"})
    before = measured(tmp_path, row)
    monkeypatch.setattr(run, "machine", lambda: {**here, "processor": "new"})
    for _ in range(2):  # the second time, there is nothing to keep
        measured(tmp_path, row)
        (kept,) = run.all_reports(tmp_path / run.OTHER)
        assert kept == before
    _, other = run.markdown(tmp_path).split("## Earlier results from another machine")
    assert "processor old" in other and "processor new" not in other
    (line,) = run.highlights(run.all_reports(tmp_path), [kept])[2:]
    assert line.endswith(
        "1 repeat on {cores} cores (new); old: ratio 0.000500 (peer) |".format(**here)
    )


def test_a_failure_leaves_the_repeats_on_file(tmp_path):
    row = Row("Fake", dict(SIDES), [{"size": 1}])
    before = measured(tmp_path, row, repeats=2)
    row.sides["peer"] = f"{FAKE}:failing"
    report = measured(tmp_path, row, repeats=1, add=True)
    assert (report["failed"], report["cases"]) == (["size 1"], before["cases"])


def test_a_row_without_results_leaves_those_on_file(tmp_path, monkeypatch):
    row = Row("Fake", dict(SIDES), [{"size": 1}])
    before = measured(tmp_path, row, repeats=1)
    row.sides["peer"] = f"{FAKE}:failing"
    monkeypatch.setattr(run, "machine", lambda: {**before["machine"], "processor": "new"})
    report = measured(tmp_path, row, repeats=1)
    assert (report["failed"], report["cases"]) == (["size 1"], [])
    assert run.all_reports(tmp_path) == [before]
    assert not (tmp_path / run.OTHER).exists()


def test_a_new_side_is_measured_as_often_as_the_others(tmp_path):
    row = Row("Fake", dict(SIDES), [{"size": 1}])
    measured(tmp_path, row, repeats=2)
    row.sides["third"] = f"{FAKE}:other"
    (case,) = measured(tmp_path, row, repeats=1, add=True)["cases"]
    assert {len(side["measures"]["seconds"]["values"]) for side in case["sides"].values()} == {3}
    assert case["ratios"]["third"]["seconds"]["values"] == [0.5] * 3


@pytest.mark.parametrize("key", ["data", "machine", "versions"])
def test_repeats_are_not_added_to_those_of_elsewhere(tmp_path, key):
    row = Row("Fake", SIDES, [{"size": 1}])
    report = measured(tmp_path, row, repeats=1)
    (tmp_path / "fake.json").write_text(json.dumps({**report, key: {}}))
    with pytest.raises(run.SideFailed, match=f"other {key}; measure it anew"):
        measured(tmp_path, row, repeats=1, add=True)


def test_a_case_may_say_which_data_to_read(tmp_path, monkeypatch):
    monkeypatch.setenv("SIAMESE_COURSE_DATA", "elsewhere")
    row = Row("Fake", {"course": f"{FAKE}:where_data_are"}, [{"size": 1}, {"data": "shipped"}])
    given, own = (
        one["sides"]["course"]["more"] for one in measured(tmp_path, row, repeats=1)["cases"]
    )
    assert given == {"setting": "elsewhere", "case": {"size": 1}}
    assert own == {"setting": "shipped", "case": {}}


@pytest.mark.parametrize(
    ("side", "said"), [("other_data", "different data"), ("failing", "too large")]
)
def test_a_case_that_fails_is_said_and_left_out(tmp_path, capsys, side, said):
    row = Row("Fake", {**SIDES, "bad": f"{FAKE}:{side}"}, [{"size": 1}, {"size": 2, "sides": []}])
    row.cases[1]["sides"] = ["course"]
    report = measured(tmp_path, row, repeats=1)
    assert report["failed"] == ["size 1"]
    assert [one["case"] for one in report["cases"]] == [{"size": 2}]
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.01234, "0.0123"), (1.5, "1.50"), (98.76, "98.8"), (12345.6, "12,346")],
)
def test_figures_have_three_digits(value, text):
    assert run.figure(value) == text


@pytest.mark.parametrize(
    ("values", "text"), [([5], "5.00"), ([5, 5.001], "5.00"), ([4, 5, 6], "5.00 (4.00–6.00)")]
)
def test_a_spread_is_shown_where_there_is_one(values, text):
    assert run.with_spread(run.spread(values)) == text


@pytest.mark.parametrize("name", ROWS)
def test_every_row_names_functions_that_exist(name):
    row = ROWS[name]
    for address in filter(None, [*row.sides.values(), row.prepare]):
        assert callable(function_of(address))
    assert row.repeats > 1
    names = [run.case_name(case) for case in row.cases]
    assert len(set(names)) == len(names)
    for case in [*row.cases, *row.tiny]:
        assert set(case.get("sides", row.sides)) <= set(row.sides)


def test_a_side_that_takes_too_long_ends_with_all_that_it_started(tmp_path, monkeypatch):
    monkeypatch.setattr(run, "MOST_SECONDS", 3)
    with pytest.raises(run.SideFailed, match="more than 3 seconds"):
        run.measure(f"{FAKE}:with_a_child", {"note": str(tmp_path / "pid")}, tmp_path)
    child = int((tmp_path / "pid").read_text())
    for _ in range(50):
        try:
            if psutil.Process(child).status() == psutil.STATUS_ZOMBIE:
                return
        except psutil.NoSuchProcess:
            return
        time.sleep(0.1)
    pytest.fail("the child goes on")


def test_what_is_between_two_marks_is_written_anew():
    text = "before\n<a>\nold\n<z>\nafter <z>"
    assert run.between(text, "<a>", "<z>", "new") == "before\n<a>\nnew\n<z>\nafter <z>"


def test_readme_and_card_show_what_was_measured():
    for path, text in run.documents().items():
        assert path.read_text("utf-8") == text, f"{path.name}: python -m benchmarks.run --table"
        assert "| " in text.split(run.BEGIN)[1]


def test_what_was_not_measured_is_left_out(tmp_path, monkeypatch):
    shutil.copytree(run.RESULTS, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(run, "RESULTS", tmp_path)
    assert run.SCALE in run.documents()
    for name in ("losses", "search"):
        report = json.loads((tmp_path / f"{name}.json").read_text())
        (tmp_path / f"{name}.json").write_text(json.dumps({**report, "cases": []}))
    found = run.documents()
    assert run.SCALE not in found
    assert ROWS["losses"].title not in found[run.ROOT / "README.md"]
    assert ROWS["mnist"].title in found[run.ROOT / "README.md"]


def test_chosen_lines_are_some_of_all(tmp_path):
    report = measured(tmp_path, Row("Fake", SIDES, [{"size": 1}], repeats=1))
    all_of_them = run.table_lines(report, Row.shown)
    assert run.table_lines(report, Row.shown, r".*AUC") == [x for x in all_of_them if "AUC" in x]


def test_the_readme_highlights_six_rows():
    lines = run.highlights(run.all_reports(run.RESULTS), [])[2:]
    assert len(lines) == sum(bool(row.highlight) for row in ROWS.values()) == 6
    assert all(line.count("|") == 5 and "repeat" in line for line in lines)

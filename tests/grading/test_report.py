"""The report's pages, as an instructor sees them."""

import csv
import re
import sys
import warnings

import pytest
from nbgrader.api import Gradebook

from siamese_course.grading import cells, report, tables
from siamese_course.grading.authoring import own_programs_first
from siamese_course.notebooks.catalog import NAMES
from tests.browser import chromium

NAME = NAMES[2]  # its checks load without Trax


def results(learners: int) -> list[dict]:
    """Learners of whom every second has all points, and the others a mistake in each exercise."""
    made = []
    for number in range(learners):
        outcomes = [
            {
                "exercise": short,
                "points": exercise.points * (number % 2),
                "max_points": exercise.points,
                "status": "right" if number % 2 else "wrong",
                "messages": []
                if number % 2
                else ["Use `axis=1`, <not> 0.", "Stuck? `hint()` helps."],
                "tags": [] if number % 2 else ["axis"],
                "seconds": 1.0,
            }
            for short, exercise in cells.release(NAME).exercises.items()
        ]
        made.append(
            {
                "learner": f"Lèarner {number} & co",
                "system": "",
                "number": "",
                "file": "a.ipynb",
                "notebook": NAME,
                "problem": None,
                "found": ["The check `loss-check` was changed; the release's is used."],
                "outcomes": outcomes,
                "seconds": 9.5,
                "key": str(number),
                "matters": True,
                "kept": True,
            }
        )
    return made


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1280])
def test_the_overview_in_a_browser(width, tmp_path):
    report.write(results(12), tmp_path)
    with chromium(viewport={"width": width, "height": 800}) as page:
        faults = []
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto((tmp_path / "index.html").as_uri())
        assert page.title() == "The class"
        assert page.locator("h2").all_inner_texts() == [NAME]
        assert page.locator("table").nth(0).locator("tbody tr").count() == 12
        exercises = page.locator("table").nth(1).locator("tbody tr")
        assert exercises.count() == len(cells.release(NAME).exercises)
        assert exercises.nth(0).inner_text().split() == ["Label", "scaling", "50%", "6", "of", "12"]
        assert exercises.nth(0).locator("svg rect").count() == 6
        assert "Points of 400: mean 50.0, median 50.0." in page.locator("main").inner_text()
        bar = exercises.nth(0).locator(".bar")
        filled = bar.locator("div").bounding_box()["width"] / bar.bounding_box()["width"]
        assert filled == pytest.approx(0.5, abs=0.02)
        mistakes = page.locator("table").nth(2)
        assert "Use axis=1, <not> 0." in mistakes.inner_text()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        page.screenshot(path=str(tmp_path / f"overview-{width}.png"), full_page=True)
        page.get_by_role("link", name="Lèarner 0 & co").click()
        assert page.locator("h1").inner_text() == "Feedback for Lèarner 0 & co"
        assert "0 of 100 points" in page.locator("h2").inner_text()
        assert "was changed; the release's is used" in page.locator("body").inner_text()
        assert faults == []


def test_of_two_notebooks_of_one_learner_the_better_counts():
    first, second = results(2)
    second |= {"learner": first["learner"], "file": "b.ipynb"}
    assert tables.best([first, second]) == {(first["learner"], NAME): second}
    assert tables.best([second, first]) == {(first["learner"], NAME): second}


def test_points_of_an_earlier_release_are_compared_with_its_maximum():
    made = results(2)[1:]
    for outcome in made[0]["outcomes"]:
        outcome |= {"points": 300.0, "max_points": 400.0}
    page = report.overview_page({"a": made}, made)
    assert ">75%<" in page and "points: 0, 0, 0, 0, 1, 0" in page


@pytest.mark.slow
def test_pages_of_learners_who_are_gone_are_deleted(tmp_path):
    for learners in (2, 1):
        report.write(results(learners), tmp_path)
        assert len(list((tmp_path / "feedback").iterdir())) == learners


def test_a_class_without_mistakes():
    page = report.overview_page({"a": [results(2)[1]]}, [results(2)[1]])
    assert "No mistakes" in page
    assert "100%" in page


def test_each_mistake_is_counted_with_its_own_message():
    made = results(3)[::2]
    for result in made:
        result["outcomes"] = result["outcomes"][:2]
        result["outcomes"][0] |= {"messages": ["A", "B", "C", "E", "Stuck?"]}
        result["outcomes"][0] |= {"tags": ["shape", "", "value", "shape"]}
        result["outcomes"][1] |= {"messages": ["D"], "tags": []}
    page = report.overview_page({"a": made[:1], "b": made[1:]}, made)
    _, _, mistakes = page.partition("Most frequent mistakes")
    rows = re.findall(r'<td class="n">(\d+)</td><td>[^<]*</td><td>([^<]*)</td>', mistakes)
    assert sorted(rows) == [("2", "A"), ("2", "B"), ("2", "C"), ("2", "D")]


def test_what_to_look_at():
    made = results(2)
    blank = {"status": "not attempted", "points": 0, "messages": []}
    made[0]["outcomes"] = [o | blank for o in made[0]["outcomes"]]
    made[0]["found"] = ["The file is damaged or truncated: 3 cells can be read, the rest is lost."]
    assert report.to_look_at([made[0]]) == ["03: blank", f"03: {made[0]['found'][0]}"]
    made[1] |= {"learner": made[0]["learner"], "file": "b.ipynb"}
    made[1]["outcomes"][0]["status"] = "refused"
    left = made[0] | {"notebook": None, "problem": "This is a link.", "file": "c", "outcomes": []}
    assert report.to_look_at([*made, left]) == [
        "c: This is a link.",
        "03: refused",
        "03: 2 attempts",
    ]


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@a", " =1", "\t=1", "\r1"])
def test_no_cell_of_a_table_is_a_formula(text, tmp_path):
    made = results(1)
    made[0] |= {"learner": text, "file": text, "problem": None}
    made[0]["outcomes"][0] |= {"exercise": "loss", "status": text, "messages": [text]}
    for write, value in (
        (tables.write_exercises, made),
        (tables.write_class, {text: made}),
        (tables.write_canvas, {text: made}),
        (lambda value, path: tables.write_moodle(value, path.parent)[0], {text: made}),
    ):
        with write(value, tmp_path / "a.csv").open(newline="") as stream:
            cells_of = [cell for row in csv.reader(stream) for cell in row]
        assert not [cell for cell in cells_of if cell.strip()[:1] in tuple("=+-@") and cell]


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def class_of(**learners):
    """Learners with one result each; a value overrides what is in it."""
    made = results(1)[0]
    return {name: [made | {"learner": name} | about] for name, about in learners.items()}


NUMBERED = class_of(
    **{
        "Anna Li_12": {"system": "moodle", "number": "12"},
        "ginahu_5": {"system": "canvas", "number": "5"},
        "mueller_3": {},
    }
)


def test_canvas_finds_learners_by_its_number_or_by_their_login(tmp_path):
    written = tables.write_canvas(NUMBERED, tmp_path / "canvas.csv").read_text().splitlines()
    assert written == [
        f"Student,ID,SIS User ID,SIS Login ID,Section,{NAME}",
        "    Points Possible,,,,,100",
        "ginahu,5,,,,0",
        "mueller_3,,,mueller_3,,0",
    ]


def test_moodle_has_a_worksheet_for_its_numbers_and_a_table_of_usernames(tmp_path):
    for left in ("moodle-" + NAMES[0], "moodle"):
        (tmp_path / f"{left}.csv").write_text("of an earlier run")
    written = tables.write_moodle(NUMBERED, tmp_path)
    assert {path.name for path in written} == {path.name for path in tmp_path.iterdir()}
    assert {path.name: path.read_text().splitlines() for path in written} == {
        f"moodle-{NAME}.csv": [
            "Identifier,Full name,Grade,Last modified (grade)",
            "Participant 12,Anna Li,0,",
        ],
        "moodle.csv": [f"username,{NAME}", "mueller_3,0"],
    }


def test_a_learner_without_graded_work_has_no_total_but_a_row(tmp_path):
    left = {"notebook": None, "problem": "unreadable", "outcomes": []}
    by_learner = class_of(ben=left, cleo={})
    by_learner["cleo"] += [
        by_learner["cleo"][0] | {"file": "b.ipynb"},
        by_learner["cleo"][0] | {"file": "c.ipynb", "notebook": NAMES[0], "outcomes": []},
    ]
    ben, cleo = read_csv(tables.write_class(by_learner, tmp_path / "class.csv"))
    assert (ben["total"], ben["attempts"], ben["status"]) == ("", "", "not graded")
    assert (cleo["total"], cleo["attempts"], cleo["status"]) == ("0", "01: 1; 03: 2", "graded")
    page = report.overview_page(by_learner, by_learner["ben"] + by_learner["cleo"])
    assert (
        '</a></td><td class="n"></td><td class="n"></td><td class="n"></td><td>not graded' in page
    )


def test_every_file_without_a_grade_is_in_the_table_of_grades(tmp_path):
    left = {"notebook": None, "outcomes": [], "problem": "This is not a notebook."}
    made = class_of(ben=left | {"file": "ben/a.rar"})["ben"]
    made.append(made[0] | {"file": "ben/a.csv", "matters": False})
    rows = read_csv(tables.write_exercises(made, tmp_path / "grades.csv"))
    assert {row["file"]: (row["learner"], row["status"], row["problem"]) for row in rows} == {
        "ben/a.csv": ("ben", "ignored", "This is not a notebook."),
        "ben/a.rar": ("ben", "not graded", "This is not a notebook."),
    }


def test_of_equal_files_of_the_same_name_always_the_same_counts():
    first, second = results(1)[0], results(1)[0] | {"key": "another"}
    assert tables.best([first, second]) == tables.best([second, first])


@pytest.mark.slow
def test_only_notebooks_that_somebody_handed_in_are_exported(tmp_path):
    path = tables.write_gradebook(class_of(ben={}), tmp_path / "g.db")
    with own_programs_first(), Gradebook(f"sqlite:///{path}") as gradebook:
        assert [assignment.name for assignment in gradebook.assignments] == [NAME]


@pytest.mark.slow
def test_the_report_writes_nothing_on_the_terminal(tmp_path, capfd):
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda text, *more: print(text, file=sys.stderr)
        report.write(results(2), tmp_path)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_who_is_not_fully_graded_is_not_exported_with_zeros(tmp_path):
    made = results(1)
    left = made[0] | {"learner": "ben", "notebook": None, "problem": "unreadable", "outcomes": []}
    path = tables.write_gradebook({made[0]["learner"]: made, "ben": [left]}, tmp_path / "g.db")
    with own_programs_first(), Gradebook(f"sqlite:///{path}") as gradebook:
        assert [student.id for student in gradebook.students] == [made[0]["learner"]]

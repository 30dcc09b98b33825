"""The report's pages, as an instructor sees them."""

import pytest

from siamese_course.grading import cells, report
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
                "seconds": 1.0,
            }
            for short, exercise in cells.release(NAME).exercises.items()
        ]
        made.append(
            {
                "learner": f"Lèarner {number} & co",
                "file": "a.ipynb",
                "notebook": NAME,
                "problem": None,
                "found": ["The check `loss-check` was changed; the release's is used."],
                "outcomes": outcomes,
                "seconds": 9.5,
                "key": str(number),
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
    second["learner"] = first["learner"]
    assert report.best([first, second]) == {(first["learner"], NAME): second}
    assert report.best([second, first]) == {(first["learner"], NAME): second}


def test_a_class_without_mistakes():
    page = report.overview_page({"a": [results(2)[1]]})
    assert "No mistakes" in page
    assert "100%" in page

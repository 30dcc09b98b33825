"""The rendered course: pages that a reader opens without Python, without a network, on a phone or a desk."""

import nbformat
import pytest
from bs4 import BeautifulSoup

from siamese_course.notebooks import render
from siamese_course.notebooks.catalog import BY_NAME, NAMES
from tests.browser import chromium

WIDTHS = {"phone": {"width": 390, "height": 844}, "desk": {"width": 1280, "height": 900}}


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """The folder with the pages of the stored solutions and their index."""
    out = tmp_path_factory.mktemp("pages")
    reports = []
    for name in NAMES:
        notebook = nbformat.read(BY_NAME[name].solution, as_version=4)
        page = render.write_page(notebook, name, out)
        reports.append(render.Report(name, 61.4, 2**30, 100, 100, page))
    render.write_index(reports, out)
    return out


@pytest.mark.slow
def test_the_index_leads_to_every_chapter(course):
    index = BeautifulSoup((course / "index.html").read_text("utf-8"), "html.parser")
    links = [link["href"] for link in index.find_all("a")]
    for name in NAMES:
        page = BeautifulSoup((course / f"{name}.html").read_text("utf-8"), "html.parser")
        assert f"{name}.html" in links
        own = [link.split("#")[1] for link in links if link.startswith(f"{name}.html#")]
        assert len(own) >= 8
        assert all(page.find(id=anchor) for anchor in own)
        assert page.find("a", href="index.html")
    assert "100 of 100 points, 61 seconds, 1.0 GiB" in index.get_text()


def test_a_notebook_that_stopped_is_marked_in_the_index(tmp_path):
    page = tmp_path / "a.html"
    page.write_text("<h1>A &amp; B¶</h1><h2 id='One'>One<a href='#One'>¶</a></h2>")
    report = render.Report("a", 3.0, 2**30, 5, 100, page, "ZeroDivisionError: division by zero")
    text = render.write_index([report], tmp_path).read_text("utf-8")
    assert "5 of 100 points, 3 seconds, 1.0 GiB: stopped early" in text
    assert "A &amp; B" in text and "¶" not in text


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_chart_has_words_and_every_link_inside_a_page_an_end(course, name):
    page = BeautifulSoup((course / f"{name}.html").read_text("utf-8"), "html.parser")
    images = page.select(".jp-OutputArea img")
    assert len(images) >= 4
    for image in images:
        assert len(image["alt"]) > 30 and "No description" not in image["alt"]
    inside = {link["href"][1:] for link in page.find_all("a", href=True) if link["href"][0] == "#"}
    assert "Glossary" in inside
    assert all(page.find(id=anchor) for anchor in inside)


@pytest.mark.slow
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_in_a_browser(course, width):
    """No error, nothing fetched from a network, and no page that must be pushed sideways."""
    with chromium(viewport=WIDTHS[width]) as page:
        errors = []
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("requestfailed", lambda request: errors.append(f"fetches {request.url[:100]}"))
        for name in ["index", *NAMES]:
            page.goto((course / f"{name}.html").as_uri())
            page.wait_for_load_state("networkidle")
            wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
            assert wide <= 0, f"{name} is {wide} pixels too wide"
            page.screenshot(path=course / f"{name}-{width}.png")
        assert errors == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["index", "01_mnist_contrastive"])
def test_pages_can_be_read_by_everyone(course, name):
    """axe-core finds nothing serious."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    with chromium(viewport=WIDTHS["desk"]) as page:
        page.goto((course / f"{name}.html").as_uri())
        found = axe.Axe().run(page).response["violations"]
    serious = {
        each["id"]: [node["html"][:200] for node in each["nodes"][:3]]
        for each in found
        if each["impact"] in ("serious", "critical")
    }
    assert serious == {}

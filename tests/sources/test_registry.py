"""The registry is complete."""

import pytest

from siamese_course.runtime.errors import CourseError
from siamese_course.sources.registry import dataset, is_archive, registry


def test_every_data_set_names_license_and_citation():
    assert {
        "mnist",
        "quora",
        "stsb",
        "glue-stsb",
        "wikisections",
        "omniglot",
        "punkt_tab",
        "roberta_base_en",
    } <= set(registry())
    for data in registry().values():
        assert data.title and data.license and len(data.citation) > 40, data.name
        for file in data.files:
            assert file.urls and all(url.startswith("http") for url in file.urls)
            assert file.sha256 is None or len(file.sha256) == 64
            assert file.sha256 or is_archive(file.name), f"{file.name}: is it whole? nothing tells"
        for file in data.local:
            assert file.sha256 or file.structure


def test_an_unknown_data_set_is_named():
    with pytest.raises(CourseError, match=r"There is no data set 'minst'. Known: mnist,"):
        dataset("minst")

"""Help for tests of known mistakes: one test case each."""

import pytest


def cases(mistakes):
    """Parametrize a test by ``mistake``: the known mistakes of an exercise."""
    ids = [f"{number}-{mistake.tag}" for number, mistake in enumerate(mistakes)]
    return pytest.mark.parametrize("mistake", mistakes, ids=ids)


def require_named(result, mistake):
    """The result names this mistake and no other, and tells where help is."""
    assert not result.passed
    assert set(result.tags) == {mistake.tag}
    assert result.messages[0] == mistake.message
    assert len(result.messages) == 2

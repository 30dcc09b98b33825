"""The platforms of the README: constraints hold one pin for each, and every package can be installed."""

import re

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT, skip_without_registry
from tools import platforms

README = (ROOT / "README.md").read_text("utf-8")

MACHINES = {
    "Linux, x86_64": ("linux", "x86_64"),
    "Linux, aarch64": ("linux", "aarch64"),
    "macOS 12 and later, Apple silicon": ("darwin", "arm64"),
    "macOS 13 and later, Intel": ("darwin", "x86_64"),
    "Windows, x86_64": ("win32", "AMD64"),
}


def test_every_platform_has_one_pin_of_each_package():
    lines = platforms.CONSTRAINTS.read_text("utf-8").splitlines()
    requirements = [Requirement(line) for line in lines if not line.startswith("#")]
    everything = {canonicalize_name(requirement.name) for requirement in requirements}
    assert MACHINES.keys() == {platform.name for platform in platforms.PLATFORMS}
    for system, machine in MACHINES.values():
        environment = {"sys_platform": system, "platform_machine": machine}
        here = [
            canonicalize_name(requirement.name)
            for requirement in requirements
            if not requirement.marker or requirement.marker.evaluate(environment)
        ]
        assert sorted(here) == sorted(everything), system


def test_the_readme_states_their_pythons():
    rows = re.findall(r"^\| ((?:Linux|Windows|macOS).*) \| ([\d., ]+) \|$", README, re.MULTILINE)
    assert len(rows) == 3
    for platform in platforms.PLATFORMS:
        words = re.findall(r"\w+", platform.name.replace("and later", ""))
        (pythons,) = [found for row, found in rows if all(word in row for word in words)][-1:]
        assert pythons == ", ".join(python.rsplit(".", 1)[0] for python in platform.pythons)


def test_new_versions_leave_other_platforms_alone():
    old = "# pins\nb==1\nd==1\n# by platform\na==1; python_version >= '3'\na==0; python_version < '3'\n"
    new = platforms.with_versions(old, "a==2\nb==3\nc==4\n")
    assert new == (
        '# pins\nb==3\nc==4\nd==1\n# by platform\na==2; python_version >= "3"\n'
        "a==0; python_version < '3'\n"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "pinned",
    [
        pytest.param(True, id="pins"),
        pytest.param(False, id="ranges", marks=pytest.mark.release),
    ],
)
@pytest.mark.parametrize("platform", platforms.PLATFORMS, ids=lambda platform: platform.name)
def test_every_package_has_a_wheel_for_it(platform, pinned):
    for python in platform.pythons:
        packages, reason = platforms.resolve(platform, python, pinned)
        skip_without_registry(reason)
        assert packages, f"{python}: {reason}"
        assert ("trax==1.4.1" in packages) == (platform.name != "Windows, x86_64")

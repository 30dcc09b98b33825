"""What a large collection costs follows from the measured rates."""

import json

import pytest

from benchmarks import scale

RATE = {
    "cores": 2,
    "sentences/s": 1000.0,
    "sentences/s, base": 10.0,
    "one": 0.5,
    "two": 0.25,
    "four": 0.125,
    "exact ms": 5e-5,
    "approximate ms": 1.25,
    "recall@10": 0.987,
    "vectors": 1e6,
    "build seconds": 100.0,
    "mining seconds": 1e-8,
    "dim": 256,
}


def test_costs_computed_by_hand():
    found = scale.costs(RATE, 10**8)
    assert found["embedding, the course's preset"] == "55.6 core-hours, $2.78"  # 1e5 s of 2 cores
    # 100 machines at half their rate: 2,000 s
    assert found["the same on 100 machines"] == "33.3 minutes"
    assert found["embedding, RoBERTa base's shape, 128 tokens"] == "5,556 core-hours, $278"
    assert found["embeddings of 256 numbers in float32"] == "102 GB"
    assert found["codes of 64 bytes"] == "6.40 GB"
    assert found["exact search, a query on one machine"] == "5.00 seconds"
    # 64 x 4,000 rows and 4,000 centers five times, and 10^6 rows and 4,000 lists, took 100 s
    small = 64 * 4_000 * 4_000 * 5 + 10**6 * 4_000
    large = 64 * 40_000 * 40_000 * 5 + 10**8 * 40_000
    hours = 100 * large / small / 3600
    assert found["approximate index, to build on one machine"] == scale.duration(hours)
    assert found["all pairs compared"] == "55,556 core-hours, $2,778"


@pytest.mark.parametrize(
    ("hours", "said"),
    [
        (72, "3.00 days"),
        (5, "5.00 hours"),
        (0.5, "30.0 minutes"),
        (0.001, "3.60 seconds"),
        (1e-7, "0.360 ms"),
    ],
)
def test_durations_are_in_a_fitting_unit(hours, said):
    assert scale.duration(hours) == said


def test_rates_come_from_the_largest_case(tmp_path):
    def write(row, *cases, **more):
        made = [
            {
                "case": case,
                "sides": {
                    side: {"measures": {key: {"median": value} for key, value in found.items()}}
                    for side, found in sides.items()
                },
            }
            for case, sides in cases
        ]
        (tmp_path / f"{row}.json").write_text(json.dumps({"cases": made, **more}))

    base = {"shape": "base", "dtype": "float32"}
    write("encoding_share", (base, {"encoding": {"sentences/s": 10.0}}))
    write(
        "embedding",
        (
            {},
            {
                "one process": {"sentences/s": 1000.0},
                "one Dask worker": {"sentences/s": 500.0},
                "two Dask workers": {"sentences/s": 250.0},
                "four Dask workers": {"sentences/s": 125.0},
            },
        ),
        machine={"cores": 2},
    )
    one = {"vectors": 1e6, "ms a query": 50.0}
    other = {"vectors": 1e6, "ms a query": 1.25, "recall@10": 0.987, "seconds to build": 100.0}
    small = {**other, "vectors": 10.0}
    write(
        "search",
        ({}, {"approximate": small}),
        ({}, {"exact": one, "approximate": other}),
    )
    mined = {"vectors": 1e5, "seconds": 100.0}
    write("mining", ({}, {"exact": mined}), ({}, {"approximate": {"vectors": 1e6, "seconds": 1.0}}))
    assert scale.measured(tmp_path) == pytest.approx(RATE)
    write("mining")
    with pytest.raises(scale.NotMeasured, match=r"mining.json holds no case .* of exact"):
        scale.measured(tmp_path)

"""What a million, a hundred million and a billion sentences cost, computed from benchmarks/results.

What goes sentence by sentence is multiplied, and comparisons of all with all grow with the square. A core-hour is a core
busy for an hour, of a machine like the measured one.
"""

import json
import math
from pathlib import Path

from benchmarks.common import figure

COUNTS = (10**6, 10**8, 10**9)
CENTS = 5  # assumed price of a core-hour
WORKERS = ("one", "two", "four")
MACHINES = 100  # of the measured kind
CODE = 64  # bytes of an embedding after product quantization


class NotMeasured(Exception):
    """The results of a row lack a case."""


def measured(folder: Path) -> dict[str, float]:
    """The rates that everything is computed from.

    Raises:
        FileNotFoundError: a row was not measured.
        NotMeasured: a case of a row was not.
    """
    base = median(folder, "encoding_share", "encoding", shape="base", dtype="float32")
    alone = median(folder, "embedding", "one process")
    rates = {
        number: median(folder, "embedding", f"{number} Dask worker{'s' * (number != 'one')}")
        for number in WORKERS
    }
    exact = median(folder, "search", "exact")
    approximate = median(folder, "search", "approximate")
    mining = median(folder, "mining", "exact")
    return {
        "cores": report(folder, "embedding")["machine"]["cores"],
        "sentences/s": alone["sentences/s"],
        "sentences/s, base": base["sentences/s"],
        **{key: rate["sentences/s"] / alone["sentences/s"] for key, rate in rates.items()},
        "exact ms": exact["ms a query"] / exact["vectors"],
        "approximate ms": approximate["ms a query"],
        "recall@10": approximate["recall@10"],
        "vectors": approximate["vectors"],
        "build seconds": approximate["seconds to build"],
        "mining seconds": mining["seconds"] / mining["vectors"] ** 2,
        "dim": 256,
    }


def products(rows: float) -> float:
    """Products of two vectors that ``search.build_index`` makes for an approximate index, of 4 sqrt(rows) lists.

    Five rounds of k-means on 64 rows for each list; then every row is compared with every list.
    """
    lists = 4 * math.sqrt(rows)
    return 5 * 64 * lists * lists + rows * lists


def report(folder: Path, row: str) -> dict:
    """The JSON file of a row."""
    return json.loads((folder / f"{row}.json").read_text("utf-8"))


def median(folder: Path, row: str, side: str, **case) -> dict[str, float]:
    """The medians of a side in the last case that has these arguments: cases grow."""
    found = [
        one
        for one in report(folder, row)["cases"]
        if case.items() <= one["case"].items() and side in one["sides"]
    ]
    if not found:
        raise NotMeasured(f"{row}.json holds no case {case} of {side}")
    return {key: values["median"] for key, values in found[-1]["sides"][side]["measures"].items()}


def costs(rate: dict[str, float], count: int) -> dict[str, str]:
    """What so many sentences cost, in words."""
    small, base = (
        rate["cores"] * count / rate[key] / 3600 for key in ("sentences/s", "sentences/s, base")
    )
    machine = rate["cores"] * MACHINES * rate["one"]
    build = rate["build seconds"] * products(count) / products(rate["vectors"]) / 3600
    mining = rate["cores"] * rate["mining seconds"] * count**2 / 3600
    return {
        "embedding, the course's preset": work(small),
        f"the same on {MACHINES} machines": duration(small / machine),
        "embedding, RoBERTa base's shape, 128 tokens": work(base),
        f"the same on {MACHINES} machines ": duration(base / machine),
        f"embeddings of {rate['dim']} numbers in float32": size(4 * rate["dim"] * count),
        f"codes of {CODE} bytes": size(CODE * count),
        "exact search, a query on one machine": duration(rate["exact ms"] * count / 3.6e6),
        "approximate index, to build on one machine": duration(build),
        "all pairs compared": work(mining),
    }


def work(core_hours: float) -> str:
    """Core-hours and what they cost."""
    return f"{figure(core_hours)} core-hours, ${figure(core_hours * CENTS / 100)}"


def duration(hours: float) -> str:
    """In the unit that leaves a number one can read."""
    for unit, length in (("days", 24), ("hours", 1), ("minutes", 1 / 60), ("seconds", 1 / 3600)):
        if hours >= 2 * length:
            return f"{figure(hours / length)} {unit}"
    return f"{figure(hours * 3.6e6)} ms"


def size(count: float) -> str:
    """Bytes, in the unit that leaves a number one can read."""
    for unit, length in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if count >= length:
            return f"{figure(count / length)} {unit}"
    return f"{count:,.0f} bytes"


def tables(rate: dict[str, float]) -> list[str]:
    """The measured rates, and what follows from them, in Markdown."""
    counts = [costs(rate, count) for count in COUNTS]
    cores = f"{rate['cores']} cores"
    lines = [
        f"| measured on {cores} | |",
        "|---|---|",
        f"| embedding sentences of Wikipedia, the course's preset | {figure(rate['sentences/s'])} a second |",
        f"| embedding 128 tokens, RoBERTa base's shape | {figure(rate['sentences/s, base'])} a second |",
        "| one, two, four Dask workers compared with one process on the same cores | "
        f"{', '.join(figure(rate[number]) for number in WORKERS)} times the rate |",
        f"| approximate search among {rate['vectors']:,.0f} | {figure(rate['approximate ms'])} ms a query, "
        f"recall@10 {rate['recall@10']:.3f} |",
        f"| building its index | {figure(rate['build seconds'])} s |",
        "",
        f"| computed, a core-hour at {CENTS} cents | "
        + " | ".join(f"{n:,}" for n in COUNTS)
        + " |",
        "|---|" + "---|" * len(COUNTS),
    ]
    lines += [
        f"| {key.strip()} | " + " | ".join(one[key] for one in counts) + " |" for key in counts[0]
    ]
    return lines

"""What is measured: one table of rows, each with its sides, its sizes and its repeats."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One comparison.

    ``sides`` maps a label to ``module:function``; ratios are of the first side to each of the others. ``cases``
    are keyword arguments for these functions; a case with ``sides`` is measured on these only. ``tiny`` are
    cases that take seconds. ``shown`` is a regular expression of the measures that go into the Markdown table,
    the JSON file has all. ``prepare`` is called once beforehand with each case. Where ``grows`` names an
    argument, the exponent of the growth with it is computed.
    """

    title: str
    sides: dict[str, str]
    cases: list[dict] = field(default_factory=lambda: [{}])
    tiny: list[dict] = field(default_factory=lambda: [{}])
    repeats: int = 5
    shown: str = r"(?!process MiB).*"
    prepare: str | None = None
    grows: str | None = None


LOSSES = ("contrastive", "all_pairs", "supervised", "triplet", "softmax")

ROWS = {
    "losses": Row(
        "Losses alone, value and gradient, embeddings of 128 dimensions",
        {
            "course": "benchmarks.losses:course",
            "naive": "benchmarks.losses:naive",
            "pytorch-metric-learning": "benchmarks.losses:metric_learning",
        },
        [{"loss": loss, "batches": [64, 256, 1024, 4096]} for loss in LOSSES],
        [{"loss": loss, "batches": [16, 64], "steps": 2} for loss in LOSSES],
        shown=r"(ms|MiB), batch (64|1,024|4,096)",
    ),
}

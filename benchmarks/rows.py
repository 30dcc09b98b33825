"""What is measured: one table of rows, each with its sides, its sizes and its repeats."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Row:
    """One comparison.

    ``sides`` maps a label to ``module:function``; ratios are of the first side to each of the others. ``cases``
    are keyword arguments for these functions; a case with ``sides`` is measured on these only. ``tiny`` are
    cases that take seconds. ``shown`` is a regular expression of the measures that go into the Markdown table,
    the JSON file has all; ``highlight`` is one of the line that README.md shows, if any. ``prepare`` is called
    once beforehand with each case. Where ``grows`` names a measure, a size, the exponent of the others' growth
    with it is computed.
    """

    title: str
    sides: dict[str, str]
    cases: list[dict] = field(default_factory=lambda: [{}])
    tiny: list[dict] = field(default_factory=lambda: [{}])
    repeats: int = 3
    shown: str = r"(?!process MiB).*"
    highlight: str = ""
    prepare: str | None = None
    grows: str | None = None


PEER = "sentence-transformers"
SENTENCE_SIDES = {
    "course": "benchmarks.sentences:course_training",
    "published pipeline": "benchmarks.sentences:published_training",
    PEER: "benchmarks.sentences:peer_training",
}
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
        shown=r"ms, batch (64|1,024|4,096)|MiB, batch (1,024|4,096)",
        highlight=r"triplet, ms, batch 4,096",
    ),
    "mnist": Row(
        "MNIST, 2-D embedding, at a share of each recipe's full training",
        {"course": "benchmarks.mnist:course", "classic, TensorFlow 1": "benchmarks.mnist:classic"},
        [
            *({"share": share} for share in (0.25, 0.5, 1.0)),
            {"share": 1.0, "data": "shipped", "sides": ["course"]},
        ],
        [{"share": 0.005}],
        shown="seconds|k-NN accuracy",
        highlight=r"share 1\.0, k-NN accuracy",
    ),
    "omniglot": Row(
        "Omniglot, 20-way one-shot on the official runs, at a share of each recipe's full training",
        {
            "course": "benchmarks.omniglot:course",
            "classic": "benchmarks.omniglot:classic",
            "pytorch-metric-learning": "benchmarks.omniglot:peer",
        },
        [{"share": share, "data": "shipped"} for share in (0.1, 0.4)],
        [{"share": 0.0005, "data": "shipped"}],
        shown="seconds|one-shot accuracy",
        highlight=r"share 0\.4, shipped, one-shot accuracy",
        repeats=2,
    ),
    "quora_step": Row(
        "A training step of the classic question model",
        {"Keras": "benchmarks.quora:keras_step", "Trax": "benchmarks.quora:trax_step"},
        [{"batch": 256, "length": 32}],
        [{"batch": 8, "length": 4}],
        shown="seconds a step",
        repeats=5,
    ),
    "quora_auc": Row(
        "Questions, AUC against seconds, at a share of each recipe's full training",
        {"course, Keras": "benchmarks.quora:course", "classic, Trax": "benchmarks.quora:classic"},
        [{"share": share} for share in (0.25, 0.5, 1.0)],
        [{"share": 1.0, "budget": "smoke"}],
        shown="seconds|(AUC|accuracy), .*",
        highlight=r"share 1\.0, AUC, test",
    ),
    "inputs": Row(
        "Input without a model behind it",
        {"course": "benchmarks.inputs:course", "classic or peer": "benchmarks.inputs:other"},
        [
            {"what": "words", "count": 20_000},
            {"what": "question batches", "count": 50_000},
            {"what": "pictures", "count": 100_000},
            {"what": "sentences", "count": 10_000},
        ],
        [
            {"what": "words", "count": 100},
            {"what": "question batches", "count": 200},
            {"what": "pictures", "count": 100},
            {"what": "sentences", "count": 50},
        ],
        prepare="benchmarks.inputs:prepare",
        repeats=5,
    ),
    "imports": Row(
        "Imports, the first beside the second, which it stands on or competes with",
        {
            "course": "benchmarks.waiting:import_course",
            "the second": "benchmarks.waiting:import_beside",
        },
        [
            {"module": "siamese_course", "beside": "numpy"},
            {"module": "siamese_course.recipes.images", "beside": "keras"},
            {"module": "siamese_course.runtime.trax_patch", "beside": "trax"},
            # what these two import when they are first called is counted
            {"module": "siamese_course.models.sentences + keras_hub", "beside": "keras_hub"},
            {
                "module": "siamese_course.models.sentences + keras_hub",
                "beside": "sentence_transformers",
            },
            {"module": "siamese_course.search + faiss", "beside": "faiss"},
        ],
        [{"module": "siamese_course", "beside": "numpy"}],
        repeats=5,
    ),
    "installation": Row(
        "Clone and installation by make, with the caches of uv and pip as they are",
        {"course": "benchmarks.waiting:installation"},
    ),
    "notebooks": Row(
        "Solution notebooks from start to end",
        {"course": "benchmarks.waiting:notebook"},
        [
            *(
                {"name": name, "budget": budget, "data": "shipped"}
                for name in ("01", "02", "03", "04")
                for budget in ("smoke", "course")
            ),
            *({"name": name, "budget": "course"} for name in ("01", "02")),
        ],
        [{"name": "01", "budget": "smoke", "data": "shipped"}],
        shown="seconds|GiB",
    ),
    "grading": Row(
        "Grading right, wrong and harmful answers: notebook 01, or all four of a learner",
        {"course": "benchmarks.grading:course"},
        [
            {"submissions": 20, "jobs": 2},
            {"submissions": 60, "jobs": 2, "repeats": 1},
            {"submissions": 4, "notebooks": 4, "jobs": 2},
        ],
        [{"submissions": 1, "jobs": 1}, {"submissions": 1, "notebooks": 4, "jobs": 2}],
        shown="seconds a submission|GiB, all processes",
    ),
    "encoding": Row(
        "Encoding sentences of the STS benchmark, or the shipped ones where stated; in float32 unless stated otherwise",
        {
            "course": "benchmarks.sentences:course_encoding",
            PEER: "benchmarks.sentences:peer_encoding",
            "course on OpenVINO, bfloat16": "benchmarks.sentences:openvino_encoding",
            f"{PEER}, bfloat16": "benchmarks.sentences:peer_bfloat16_encoding",
        },
        [
            {"batch": 16, "count": 4_000, "sides": ["course", PEER]},
            {"batch": 64, "count": 4_000},
            {"batch": 256, "count": 4_000, "sides": ["course", PEER]},
            {"batch": 64, "length": 8, "count": 1_024, "sides": ["course", PEER]},
            {"batch": 64, "length": 32, "count": 1_024},
            {"batch": 64, "length": 128, "count": 1_024, "sides": ["course", PEER]},
            *(
                {"batch": batch, "count": 4_000, "data": "shipped", "sides": ["course", PEER]}
                for batch in (16, 64, 256)
            ),
        ],
        [{"batch": 8, "count": 80}, {"batch": 8, "length": 16, "count": 24}],
        prepare="benchmarks.agreement:prepare",
        highlight=r"batch 256, sentences/s",
    ),
    "encoding_openvino": Row(
        "Encoding sentences, both on OpenVINO in bfloat16, sentence-transformers with its backend and an older transformers",
        {
            "course": "benchmarks.sentences:openvino_encoding",
            PEER: "benchmarks.peer_openvino:encoding",
        },
        [
            *({"batch": batch, "count": 4_000} for batch in (16, 64, 256)),
            *({"batch": 64, "length": length, "count": 1_024} for length in (8, 32, 128)),
        ],
        [{"batch": 8, "count": 80}],
        prepare="benchmarks.peer_openvino:prepare",
        shown="sentences/s",
        repeats=2,
    ),
    "embedding": Row(
        "Embedding a collection in parts, by Dask workers on the cores of the one process",
        {
            "two Dask workers": "benchmarks.embedding:two_workers",
            "one process": "benchmarks.embedding:here",
            "one Dask worker": "benchmarks.embedding:one_worker",
            "four Dask workers": "benchmarks.embedding:four_workers",
        },
        [
            {"lines": 10_000, "sides": ["two Dask workers", "one process"]},
            {"lines": 40_000},
        ],
        [{"lines": 80}],
        prepare="benchmarks.embedding:prepare",
    ),
    "sentence_training": Row(
        "Training on pairs of the STS benchmark and triplets of Wikipedia's sections, from the same weights",
        SENTENCE_SIDES,
        [
            {"objective": "pairs", "batch": 6},
            {"objective": "pairs", "batch": 32},
            {"objective": "pairs", "batch": 128, "sides": ["course", PEER]},
            {"objective": "triplets", "batch": 32, "sides": ["course", PEER]},
            *(
                {
                    "objective": "pairs",
                    "batch": batch,
                    "dtype": "bfloat16",
                    "sides": ["course", PEER],
                }
                for batch in (32, 128)
            ),
        ],
        [
            {"objective": "pairs", "batch": 2, "steps": 2},
            {"objective": "triplets", "batch": 2, "steps": 2, "sides": ["course", PEER]},
        ],
        prepare="benchmarks.agreement:prepare",
        highlight=r"pairs, batch 32, pairs/s",
    ),
    "backends": Row(
        "Training steps on each backend of Keras: TensorFlow skips padding, JAX pads to multiples of 16, PyTorch compiles nothing",
        {
            "TensorFlow": "benchmarks.sentences:tensorflow_steps",
            "JAX": "benchmarks.sentences:jax_steps",
            "PyTorch": "benchmarks.sentences:torch_steps",
        },
        [{"batch": 6}, {"batch": 32}],
        [{"batch": 2, "steps": 2}],
        shown="pairs/s|seconds.*",
        prepare="benchmarks.agreement:prepare",
    ),
    "first_steps": Row(
        "The first 200 training steps on sentences, building and compiling included",
        {
            "course": "benchmarks.sentences:course_first_steps",
            PEER: "benchmarks.sentences:peer_first_steps",
        },
        [{"batch": 6, "steps": 200}],
        [{"batch": 2, "steps": 2}],
        shown="ms a step",
        prepare="benchmarks.agreement:prepare",
    ),
    "sentence_spearman": Row(
        "Spearman on the validation pairs against seconds, scored pairs alone",
        {label: side.replace("_training", "_spearman") for label, side in SENTENCE_SIDES.items()},
        [
            {"pairs": 1_920},
            *({"pairs": pairs, "sides": ["course", PEER]} for pairs in (5_760, 23_040)),
            {"pairs": 5_760, "dtype": "bfloat16", "sides": ["course", PEER]},
            # Is another rate better for the peer?
            *({"pairs": 5_760, "rate": rate, "sides": [PEER]} for rate in (1e-4, 1e-3)),
            {"pairs": 23_040, "rate": 1e-4, "sides": [PEER]},
        ],
        [{"pairs": 12}],
        shown="seconds|Spearman",
        prepare="benchmarks.agreement:prepare",
    ),
    "preset": Row(
        "The course's preset on validation data, before and after the course recipe",
        {
            "pre-trained": "benchmarks.preset:pretrained",
            "random weights": "benchmarks.preset:random_weights",
            "as it ships": "benchmarks.preset:masked_tokens",
        },
        [
            {"task": "masked tokens", "sides": ["as it ships"]},
            {"task": "scored pairs", "sides": ["pre-trained", "random weights"]},
            {"task": "triplets", "sides": ["pre-trained"]},
        ],
        [
            {
                "task": "scored pairs",
                "budget": "smoke",
                "sides": ["pre-trained", "random weights"],
            }
        ],
        repeats=2,
    ),
    "own": Row(
        "Data of one's own, from files to search: the same job in scripts of benchmarks/own",
        {"course": "benchmarks.own.run:course", "peer": "benchmarks.own.run:peer"},
        [{"job": "sentences", "data": "shipped"}, {"job": "images", "data": "shipped"}],
        [{"job": "images", "data": "shipped"}],
        shown="lines|statements|first hit right",
        prepare="benchmarks.own.run:prepare",
    ),
    "machine": Row(
        "Products of two square matrices",
        {name: f"benchmarks.machine:{name}" for name in ("tensorflow", "jax", "torch", "numpy")},
        [
            *({"dtype": "float32", "size": size} for size in (2048, 4096)),
            {"dtype": "bfloat16", "size": 2048, "sides": ["tensorflow", "jax", "torch"]},
        ],
        [
            {"dtype": "float32", "size": 64},
            {"dtype": "bfloat16", "size": 64, "sides": ["tensorflow", "jax", "torch"]},
        ],
    ),
    "encoding_share": Row(
        "Encoding full batches of equal length, beside the machine's matrix-product rate",
        {"encoding": "benchmarks.machine:encoding", "matrix product": "benchmarks.machine:limit"},
        [
            {"shape": shape, "dtype": dtype, "batch": batch, "length": length}
            for shape, batch, length in (("small", 64, 64), ("base", 16, 128))
            for dtype in ("float32", "bfloat16")
        ],
        [{"shape": "small", "dtype": "float32", "batch": 2, "length": 16}],
        shown=r"GFLOP/s|sentences/s",
    ),
    "training_share": Row(
        "Training on full batches of equal length, beside the machine's matrix-product rate",
        {"training": "benchmarks.machine:training", "matrix product": "benchmarks.machine:limit"},
        [
            {"shape": "small", "dtype": "float32", "batch": 32, "length": 32},
            {"shape": "base", "dtype": "float32", "batch": 6, "length": 32},
        ],
        [{"shape": "small", "dtype": "float32", "batch": 2, "length": 16}],
        shown=r"GFLOP/s|pairs/s|seconds a step|GiB",
    ),
    "profiles": Row(
        "Where the time of the training loops goes: see profiles_*.txt",
        {"course": "benchmarks.profiles:course"},
        [{"loop": loop} for loop in ("mnist", "quora", "sentences")],
        [{"loop": loop, "budget": "smoke"} for loop in ("mnist", "quora", "sentences")],
        shown="share of .*|tracings",
        repeats=2,
    ),
    "search": Row(
        "The ten nearest of a query among sentence embeddings of 256 dimensions",
        {
            "exact": "benchmarks.search:exact",
            "approximate": "benchmarks.search:approximate",
            PEER: "benchmarks.search:peer",
        },
        [{"rows": rows} for rows in (1_000, 10_000, 100_000, 1_000_000)],
        [{"rows": rows, "queries": 16, "tuned": False} for rows in (64, 128)],
        shown="vectors|seconds to build|GiB to build|ms a query.*|recall@10",
        prepare="benchmarks.search:prepare",
        grows="vectors",
    ),
    "mining": Row(
        "The hundred most similar pairs among sentence embeddings of 256 dimensions",
        {
            "exact": "benchmarks.search:mine_exact",
            "approximate": "benchmarks.search:mine_approximate",
            PEER: "benchmarks.search:mine_peer",
        },
        [
            *({"rows": rows} for rows in (1_000, 10_000, 100_000)),
            {"rows": 1_000_000, "exactly": False, "sides": ["approximate"], "repeats": 1},
        ],
        [{"rows": rows, "tuned": False} for rows in (64, 128)],
        shown="vectors|seconds|GiB|share of the best pairs",
        prepare="benchmarks.search:prepare_mining",
        grows="vectors",
    ),
}

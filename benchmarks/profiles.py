"""Where the time of the three training loops goes, by cProfile: three shares, and a text with the rest.

The text names, for the loop itself, what it calls, and the functions that take most time of their own. It is
Python's view: what TensorFlow does in a compiled step is one line.
"""

import cProfile
import io
import pstats

LINES = 15


def course(loop: str, budget: str = "course") -> dict:
    """Profile a loop's course recipe at a budget.

    Returns:
        ``share of input``, the share of the loop's time in which batches are made; ``share of steps``, in
        which ``train_on_batch`` works, compiling included; ``tracings``, how often Keras' step was read as
        Python, Keras' own dry run included; and the text.
    """
    run = LOOPS[loop](budget)
    profile = cProfile.Profile()
    profile.enable()
    run()
    profile.disable()
    text = io.StringIO()
    stats = pstats.Stats(profile, stream=text).strip_dirs()
    found = shares(stats)
    text.write(f"{loop}, course recipe, budget {budget}\n")
    text.write("".join(f"{name}: {value:.3f}\n" for name, value in found.items()))
    stats.sort_stats("cumulative").print_callees(r"loop\.py.*\(train\)")
    stats.sort_stats("tottime").print_stats(LINES)
    return {**found, "text": without_blanks(text.getvalue())}


def without_blanks(text: str) -> str:
    """No blank lines, no spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.splitlines() if line.strip()) + "\n"


def shares(stats: pstats.Stats) -> dict[str, float]:
    """Of the cumulative time of ``training.loop.train``."""
    calls = {(file, name): numbers for (file, _, name), numbers in stats.stats.items()}
    total = sum(
        callers[3]
        for (file, name), callers in calls.items()
        if (file, name) == ("loop.py", "train")
    )

    def from_loop(wanted: str) -> float:
        return sum(
            timing[3]
            for (_, name), numbers in calls.items()
            if wanted in name
            for (file, _, caller), timing in numbers[4].items()
            if (file, caller) == ("loop.py", "train")
        )

    tracings = sum(
        numbers[1]
        for (file, name), numbers in calls.items()
        if (file, name) == ("trainer.py", "train_step")
    )
    return {
        "loop seconds": total,
        "share of input": from_loop("builtins.next") / total,
        "share of steps": from_loop("_train_on") / total,
        "tracings": tracings,
    }


# --- loops: each function loads, and returns what is to be profiled ---


def mnist(budget: str):
    """Notebook 01."""
    from siamese_course.datasets.mnist import load_mnist
    from siamese_course.recipes.images import train_course
    from siamese_course.runtime import settings

    digits = load_mnist(verbose=False)
    kilo_images = settings.mnist_sizes(budget).course_kilo_images
    return lambda: train_course(
        digits.train_images, digits.train_labels, kilo_images=kilo_images, verbose=False
    )


def quora(budget: str):
    """Notebook 02, in Keras."""
    from siamese_course.datasets.quora import load_questions
    from siamese_course.recipes.questions import train_course
    from siamese_course.runtime import settings

    data, sizes = load_questions(verbose=False), settings.quora_sizes(budget)
    steps, rows = sizes.course_steps, sizes.course_rows
    options = {"steps": steps, "max_pairs": rows, "backbone": None, "verbose": False}
    return lambda: train_course("keras", data, **options)


def sentences(budget: str):
    """Notebook 03, scored pairs alone."""
    from siamese_course.datasets.sentences import load_scored_pairs
    from siamese_course.models.sentences import make_encoder
    from siamese_course.recipes.sentences import train_pairs
    from siamese_course.runtime import settings

    data, encoder = load_scored_pairs(verbose=False), make_encoder()
    sizes = settings.sentence_sizes(budget)
    return lambda: train_pairs("course", encoder, data, sizes, verbose=False)


LOOPS = {"mnist": mnist, "quora": quora, "sentences": sentences}

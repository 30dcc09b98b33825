"""Embedding on Intel's OpenVINO: no training, and on a processor that multiplies bfloat16 much faster."""

import tempfile
from dataclasses import replace
from pathlib import Path

from siamese_course.models.sentences import SentenceEncoder
from siamese_course.runtime.errors import CourseError

PRECISIONS = ("f32", "bf16")


def on_openvino(encoder: SentenceEncoder, precision: str | None = None) -> SentenceEncoder:
    """The encoder as it is now, compiled by OpenVINO for this processor.

    Training the encoder afterwards does not change what this one embeds.

    Args:
        encoder: stays as it is; the model is shared, what embeds is not.
        precision: of the matrix products: ``f32``, which agrees with Keras to rounding, or ``bf16``, which keeps
            8 bits of each factor; by default what OpenVINO takes to be fastest here.

    Raises:
        ValueError: no such precision.
        CourseError: OpenVINO is not installed.
    """
    if precision not in (None, *PRECISIONS):
        raise ValueError(f"precision is {precision!r}; expected one of {', '.join(PRECISIONS)}")
    try:
        import openvino
    except ImportError as error:
        raise CourseError("OpenVINO is not installed: pip install -e '.[openvino]'") from error
    from siamese_course.models.packed import for_export

    hints = {"INFERENCE_PRECISION_HINT": precision} if precision else {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        with for_export():
            encoder.model.export(str(path), format="openvino", verbose=False)
        core = openvino.Core()
        compiled = core.compile_model(core.read_model(path), "CPU", hints)
    names = [port.any_name for port in compiled.inputs]

    def predict(batch):
        return compiled({name: batch[name] for name in names})[0]

    return replace(encoder, predict=predict)

"""Embedding with Intel's OpenVINO: no training, but much faster on a processor that is fast in bfloat16."""

import tempfile
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from siamese_course.models.images import ImageEncoder
from siamese_course.models.sentences import SentenceEncoder
from siamese_course.runtime.errors import CourseError
from siamese_course.validation import require_choice

PRECISIONS = ("f32", "bf16")


def export_model(encoder: SentenceEncoder | ImageEncoder, path: Path | str) -> None:
    """Write an encoder's model as OpenVINO's files, to embed without TensorFlow: path, and .bin beside it.

    Args:
        encoder: of sentences, whose model takes token_ids and padding_mask, (batch, length) int32 each, as
            ``tokenize`` makes them; or of images, whose model takes them as in training.
        path: ends with .xml.

    Raises:
        ValueError: the path does not end with .xml.
        CourseError: OpenVINO is not installed.
    """
    if Path(path).suffix != ".xml":
        raise ValueError(f"path is {str(path)!r}; expected one that ends with .xml")
    if not find_spec("openvino"):
        raise CourseError('OpenVINO is not installed: pip install -e ".[openvino]"')
    from siamese_course.backbones.packed_roberta import for_export

    with for_export():
        encoder.model.export(str(path), format="openvino", verbose=False)


def on_openvino(encoder: SentenceEncoder, precision: str | None = None) -> SentenceEncoder:
    """Return a copy of the encoder as it is now, compiled by OpenVINO for this processor.

    Later training of the encoder does not change the copy's embeddings.

    Args:
        encoder: not changed.
        precision: of the matrix products: ``f32``, which agrees with Keras up to rounding, or ``bf16``,
            which keeps 8 bits of each factor. The default is what OpenVINO considers fastest here; on a Xeon
            with AVX-512, but without AMX, that is ``bf16``, which is slower than ``f32`` and than Keras.

    Raises:
        ValueError: an unknown precision.
        CourseError: OpenVINO is not installed.
    """
    if precision is not None:
        require_choice(precision, "precision", PRECISIONS)
    hints = {"NUM_STREAMS": "2"}  # two batches at a time, each on half of the cores
    if precision:
        hints["INFERENCE_PRECISION_HINT"] = precision
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.xml")
        export_model(encoder, path)
        import openvino

        core = openvino.Core()
        compiled = core.compile_model(core.read_model(path), "CPU", hints)
    names = [port.any_name for port in compiled.inputs]
    idle: SimpleQueue = SimpleQueue()
    for _ in range(2):
        idle.put(compiled.create_infer_request())

    def predict(batch: dict[str, np.ndarray]) -> np.ndarray:
        request = idle.get()
        try:
            return request.infer({name: batch[name] for name in names})[0]
        finally:
            idle.put(request)

    return replace(encoder, predict=predict)

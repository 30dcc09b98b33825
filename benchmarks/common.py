"""What several benchmarks share: the folder for things made on the way, and a mark of the data."""

import os
import zlib
from pathlib import Path

import numpy as np


def work_folder() -> Path:
    """Where exported models and embeddings are kept between runs."""
    folder = Path(os.environ.get("BENCH_WORK", "build/bench"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def fingerprint(*parts) -> str:
    """A mark of arrays, or of lists of strings or of numbers: the same data have the same one."""
    mark = 0
    for part in parts:
        array = part if isinstance(part, np.ndarray) else None
        content = array.tobytes() if array is not None else repr(list(part)).encode()
        mark = zlib.crc32(content, mark)
    return f"{len(parts[0]):,} rows, crc32 {mark:08x}"

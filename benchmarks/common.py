"""What several benchmarks share: the folder for things made on the way, a mark of the data, memory of a command, figures as text."""

import math
import os
import subprocess
import threading
import time
import zlib
from pathlib import Path

import numpy as np
import psutil


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


def figure(value: float) -> str:
    """Three digits that count, thousands marked."""
    if value == 0 or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def peak_of(process: subprocess.Popen) -> tuple[str, int]:
    """(output, peak bytes of the process and all below it)."""
    peak = 0

    def watch():
        nonlocal peak
        while process.poll() is None:
            try:
                root = psutil.Process(process.pid)
                family = [root, *root.children(recursive=True)]
                peak = max(peak, sum(p.memory_info().rss for p in family if p.is_running()))
            except psutil.NoSuchProcess:
                pass
            time.sleep(0.5)

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    watcher.join()
    if process.returncode:
        raise RuntimeError(f"{process.args} ended with {process.returncode}; what it said is above")
    return output, peak

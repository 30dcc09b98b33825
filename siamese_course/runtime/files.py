"""Write files so that an interruption leaves no half of one behind."""

import os
from pathlib import Path


def write_whole(path: Path, text: str) -> None:
    """Write a UTF-8 text file completely, or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)

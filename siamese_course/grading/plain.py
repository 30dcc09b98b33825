"""Texts and names that came with a submission, made fit for terminals, tables, pages and file names."""

import hashlib
from typing import Any

MAX_CHARACTERS = 2_000
# Of a file's name, which may have 255 with its hash and its endings
MAX_BYTES = 200


def clean(text: str, limit: int = MAX_CHARACTERS) -> str:
    """Return the beginning of a text; control characters and halves of characters are shown as escapes."""
    shown = [
        c if c.isprintable() or c == "\n" else " " if c.isspace() else ascii(c)[1:-1]
        for c in text[:limit]
    ]
    return "".join(shown) + ("…" if len(text) > limit else "")


def clean_all(value: Any) -> Any:
    """Return plain data in which every text is clean."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [clean_all(each) for each in value]
    if isinstance(value, dict):
        return {clean(key): clean_all(each) for key, each in value.items()}
    return value


def plain_name(name: str) -> str:
    """Return a name that is valid for a file: letters and digits, plus a hash if anything was replaced."""
    plain = "".join(c if c.isalnum() or c in "-_. @" else "_" for c in name)
    plain = plain.strip(". ")[:80].encode()[:MAX_BYTES].decode(errors="ignore") or "_"
    if plain == name:
        return plain
    return f"{plain}-{hashlib.sha256(name.encode(errors='surrogatepass')).hexdigest()[:8]}"

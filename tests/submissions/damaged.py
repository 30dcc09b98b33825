"""Files as editors, systems of courses and people damage them, each made from a right one.

``DAMAGES`` maps a name to (name of the file, function from the notebook as a dict to the file's bytes).
Every one has the points of the right answer to 01.distance, or a reason why it could not be graded.
"""

import gzip
import io
import json
import zipfile

NAME = "01_mnist_contrastive.ipynb"


def dumped(notebook, **options) -> bytes:
    return json.dumps(notebook, **options).encode("utf-8")


def zipped(*names):
    def make(notebook) -> bytes:
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in names:
                archive.writestr(name, dumped(notebook))
        return stream.getvalue()

    return make


def flipped(notebook) -> bytes:
    """A .zip whose compressed bytes arrived wrong."""
    data = bytearray(zipped(NAME)(notebook))
    data[30 + len(NAME)] = 0xFF
    return bytes(data)


def linked(notebook) -> bytes:
    """A .zip in which the notebook is a link to a file outside."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        link = zipfile.ZipInfo(NAME)
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "../../class/settings.json")
    return stream.getvalue()


def with_outputs(megabytes):
    def make(notebook) -> bytes:
        image = {
            "output_type": "display_data",
            "metadata": {},
            "data": {"image/png": "A" * (1 << 20)},
        }
        code = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
        code["outputs"] = [image] * megabytes
        return dumped(notebook)

    return make


def each_cell(change):
    def make(notebook) -> bytes:
        for cell in notebook["cells"]:
            change(cell)
        return dumped(notebook)

    return make


def file_of(change):
    """A damage of the file's bytes."""
    return lambda notebook: change(dumped(notebook, indent=1))


def without(key):
    return each_cell(lambda cell: cell.pop(key, None))


def numbers_as_text(cell):
    cell["execution_count"] = "7"


def tabs(cell):
    cell["source"] = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    cell["source"] = cell["source"].replace("\n    ", "\n\t")


def carriage_returns(cell):
    text = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    cell["source"] = text.replace("\n", "\r\n")


def quotes(notebook) -> bytes:
    notebook["cells"].insert(
        0, {"cell_type": "markdown", "metadata": {}, "source": "“Quoted” — 🦦"}
    )
    return dumped(notebook, ensure_ascii=False)


def lone_surrogates(notebook) -> bytes:
    notebook["cells"].insert(0, {"cell_type": "markdown", "metadata": {}, "source": "\ud800"})
    return dumped(notebook)


def twice(notebook) -> bytes:
    return dumped(notebook | {"cells": notebook["cells"] * 2})


def conflict(notebook) -> bytes:
    lines = dumped(notebook, indent=1).decode().splitlines()
    return "\n".join(["<<<<<<< HEAD", *lines, "=======", *lines, ">>>>>>> mine"]).encode()


DAMAGES = {
    "as it is": (NAME, dumped),
    "suffix txt": (f"{NAME}.txt", dumped),
    "capital suffix": ("01_MNIST_CONTRASTIVE.IPYNB", dumped),
    "suffix json": ("01_mnist_contrastive.json", dumped),
    "no suffix": ("01_mnist_contrastive", dumped),
    "zip of one": ("homework.zip", zipped(NAME)),
    "zip of one in a folder": ("homework.zip", zipped(f"anna/{NAME}", f"__MACOSX/._{NAME}")),
    "capital zip": ("HOMEWORK.ZIP", zipped(NAME)),
    "60 MB of outputs": (NAME, with_outputs(60)),
    "name with spaces": ("01 mnist contrastive (2) final.ipynb", dumped),
    "name that is not ASCII": ("größe_été.ipynb", dumped),
    "UTF-16": (NAME, lambda n: dumped(n, ensure_ascii=False).decode().encode("utf-16")),
    "byte order mark": (NAME, file_of(lambda data: b"\xef\xbb\xbf" + data)),
    "zeros at the end": (NAME, file_of(lambda data: data + bytes(4096))),
    "text behind": (NAME, file_of(lambda data: data + b"\nSent from my phone")),
    "text before": (NAME, file_of(lambda data: b"HTTP/1.1 200 OK\n\n" + data)),
    "trailing comma": (NAME, file_of(lambda data: data.rstrip()[:-1] + b",}")),
    "a conflict of git": (NAME, conflict),
    "truncated in the last cell": (NAME, file_of(lambda data: data[: len(data) * 9 // 10])),
    "carriage returns in the file": (NAME, file_of(lambda data: data.replace(b"\n", b"\r\n"))),
    "carriage returns in cells": (NAME, each_cell(carriage_returns)),
    "tabs": (NAME, each_cell(tabs)),
    "no metadata": (NAME, without("metadata")),
    "no outputs": (NAME, without("outputs")),
    "no ids": (NAME, without("id")),
    "counts as text": (NAME, each_cell(numbers_as_text)),
    "an emoji": (NAME, quotes),
    "lone surrogates": (NAME, lone_surrogates),
    "every cell twice": (NAME, twice),
    "nbformat as text": (NAME, lambda n: dumped(n | {"nbformat": "4", "nbformat_minor": None})),
    "metadata is a list": (NAME, lambda n: dumped(n | {"metadata": []})),
    "a cell that is null": (NAME, lambda n: dumped(n | {"cells": [None, 1, [], *n["cells"]]})),
}
# (name of the file, its bytes): nothing can be read, and the result says why
DAMAGES |= {
    "UTF-32": (NAME, lambda n: dumped(n, ensure_ascii=False).decode().encode("utf-32")),
    "counts that are no numbers": (
        NAME,
        each_cell(lambda cell: cell.update(execution_count=float("nan"))),
    ),
    "comments": (
        NAME,
        file_of(
            lambda data: b"// a notebook\n" + data.replace(b'"nbformat"', b'/* 4 */ "nbformat"')
        ),
    ),
    "zip with a name that climbs": ("homework.zip", zipped(f"../../{NAME}")),
    "a reply of Jupyter's server": (
        NAME,
        lambda n: dumped({"name": NAME, "type": "notebook", "content": n}),
    ),
    "every key twice": (
        NAME,
        file_of(lambda data: data.replace(b'"source":', b'"source": [], "source":')),
    ),
}
HOPELESS = {
    "empty": (NAME, b""),
    "a page of a login": (NAME, b"<!DOCTYPE html><title>Sign in</title>"),
    "a PDF": (NAME, b"%PDF-1.7 \x80\x81"),
    "half of a zip": ("homework.zip", zipped(NAME)({"cells": []})[:60]),
    "a zip with wrong bytes": (
        "homework.zip",
        flipped({"cells": [{"source": [str(n) for n in range(999)]}]}),
    ),
    "a zip with a link": ("homework.zip", linked({})),
    "compressed": (NAME, gzip.compress(b'{"cells": []}')),
    "an empty zip": ("homework.zip", zipped()({})),
    "another notebook": (
        NAME,
        dumped({"cells": [{"cell_type": "code", "source": "1 + 1"}], "nbformat": 4}),
    ),
    "a script": (
        "01_mnist_contrastive.py",
        b"def euclidean_distance(left, right):\n    return 0\n",
    ),
    "brackets": (NAME, b"[" * 3_000_000),
    "open cells": (NAME, b'{"cell_type": [' * 200_000),
}

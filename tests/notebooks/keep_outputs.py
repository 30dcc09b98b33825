"""A plugin for the pytest that runs nbval: write the executed notebook, so that it need not run twice.

``pytest -p tests.notebooks.keep_outputs --nbval-lax NOTEBOOK`` writes it to the file in KEEP_OUTPUTS.
"""

import os

import nbformat
from nbval.plugin import IPyNbCell


def pytest_sessionfinish(session):
    cells = [item for item in session.items if isinstance(item, IPyNbCell)]
    notebook = cells[0].parent.nb
    for item in cells:
        item.cell.outputs = item.test_outputs or []
    nbformat.write(notebook, os.environ["KEEP_OUTPUTS"])

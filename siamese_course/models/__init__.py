"""Models: one module per family. They import no data sets."""

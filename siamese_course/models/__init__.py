"""Models: one module a family. They know no files and no data sets."""

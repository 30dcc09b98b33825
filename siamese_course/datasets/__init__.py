"""Data: the registry of data sets, verified downloads, and one module for each data set."""

SPLITS = ("train", "validation", "test")

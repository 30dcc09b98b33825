"""Data: the registry of data sets, verified downloads, and one module a data set."""

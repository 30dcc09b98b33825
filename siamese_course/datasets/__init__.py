"""Data sets: one loader module each, and splits of pairs."""

SPLITS = ("train", "validation", "test")

"""Data sets: one module for each, which finds it and loads it."""

SPLITS = ("train", "validation", "test")

"""Notebooks: build them from source, execute them, render pages."""

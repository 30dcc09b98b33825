"""Backbones of other libraries: KerasHub's RoBERTa without padding, and sentence-transformers folders."""

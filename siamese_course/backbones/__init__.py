"""Backbones of other libraries: KerasHub's RoBERTa without padding, and folders of Hugging Face."""

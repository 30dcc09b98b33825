"""Siamese networks, from two handwritten digits to sentence embeddings.

Importing the package is cheap: TensorFlow, JAX and Keras load with the first module that needs them.
"""

from importlib.metadata import version

__version__ = version("siamese-course")

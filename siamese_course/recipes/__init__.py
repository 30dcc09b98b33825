"""Recipes: data, model and loss put together, as `siamese-course train` runs them. No notebook needs one."""

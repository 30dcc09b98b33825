"""Training recipes: data, model and loss put together, the same for notebooks and command line."""

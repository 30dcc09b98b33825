"""The instructor's side: make the notebooks, check and repair what comes back, grade it where it can do no harm."""

"""For large collections and several machines: nothing a learner imports."""

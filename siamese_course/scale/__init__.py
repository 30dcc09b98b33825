"""For large collections and several machines; a learner imports none of it."""

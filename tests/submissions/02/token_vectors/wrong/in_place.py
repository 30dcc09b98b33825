# expects: Your code changes `table` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on
# subtracts the mean in place, so the table that was passed is changed
def prepare_vectors(table):
    vectors = np.asarray(table)
    vectors -= vectors.mean(axis=0)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def token_importance(counts, a=1e-3):
    return a / (a + counts / np.sum(counts))

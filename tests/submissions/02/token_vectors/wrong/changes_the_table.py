# expects: Your code changes `table` in place (as `/=`, `+=`, `.sort()`, and `.append()` do). Work on
# subtracts and divides in place, so the caller's table is changed (and returned); shown by comparing the table before and after.
def prepare_vectors(table):
    table -= table.mean(axis=0)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return table


def token_importance(counts, a=1e-3):
    return a / (a + counts / counts.sum())

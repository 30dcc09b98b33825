# expects: No gradient flows through your code
def softmax_loss(targets, embeddings, *, temperature=0.1):
    rows = np.asarray(embeddings, dtype=float)
    candidates = np.concatenate(list(rows.swapaxes(0, 1)[1:]))
    exponentials = np.exp(rows[:, 0] @ candidates.T / temperature)
    return -np.log(np.diag(exponentials) / exponentials.sum(axis=1)).mean()

# expects: No gradient flows through your code
def triplet_loss(left, right, margin=0.25):
    s = np.asarray(left, dtype=float) @ np.asarray(right, dtype=float).T
    off = ~np.eye(len(s), dtype=bool)
    hardest = np.max(s, axis=1, where=off, initial=-np.inf)
    mean = np.mean(s, axis=1, where=off)
    gaps = np.stack([hardest, mean]) - np.diag(s)
    return np.clip(margin + gaps, 0, None).sum(axis=0).mean()

# expects: is possible. Try every similarity as threshold
# fine enough for spread cosines, and not for those of a nearly collapsed encoder
def pair_similarities(embed, left, right, batch_size):
    parts = np.split(np.arange(len(left)), range(batch_size, len(left), batch_size))
    made = (pad_pair([left[n] for n in rows], [right[n] for n in rows]) for rows in parts)
    return np.concatenate([np.einsum("ij,ij->i", embed(a), embed(b)) for a, b in made])


def evaluate(validation, test):
    similarities, same = validation
    grid = np.arange(-100, 101) / 100
    threshold = max(grid, key=lambda t: np.mean((similarities > t) == (same == 1)))
    return threshold, np.mean((test[0] > threshold) == (test[1] == 1))

def choose_threshold(distances, same):
    """Tries 5,001 thresholds at equal steps."""
    grid = np.linspace(distances.min(), distances.max(), 5001)
    accepted = (distances[same == 1][None, :] <= grid[:, None]).mean(axis=1)
    refused = (distances[same == 0][None, :] > grid[:, None]).mean(axis=1)
    return float(grid[(accepted + refused).argmax()])


def verify_one_shot(reference, queries, threshold):
    squared = np.einsum("nd,nd->n", queries - reference, queries - reference)
    return (squared <= threshold**2).astype(int)

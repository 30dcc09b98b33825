def prepare_vectors(table):
    columns = table.T - table.sum(axis=0)[:, None] / len(table)
    lengths = np.sqrt(np.einsum("dt,dt->t", columns, columns))
    return np.ascontiguousarray((columns / lengths).T)


def token_importance(counts, a=1e-3):
    scaled = a * (np.sum(counts) or 1)
    return scaled / np.add(scaled, counts)

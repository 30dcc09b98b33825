def hard_negatives(similarities):
    b = similarities.shape[0]
    # Without the first value, every (b + 1)-th value is on the diagonal
    tail = jnp.reshape(similarities, (b * b,))[1:]
    others = jnp.reshape(jnp.reshape(tail, (b - 1, b + 1))[:, :b], (b, b - 1))
    return others.max(axis=1), others.mean(axis=1)

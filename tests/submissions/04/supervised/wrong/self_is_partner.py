# expects: Each row counts as its own partner. Subtract the diagonal from the table of partners.
# the row itself is one of its partners (only the denominator leaves it out); any batch, and a row without partners has a loss other than 0.
def supervised_contrastive_loss(labels, embeddings, temperature=0.1):
    z = ops.normalize(embeddings, axis=-1)
    similarities = ops.matmul(z, ops.transpose(z)) / temperature
    same = ops.cast(ops.equal(ops.expand_dims(labels, 1), ops.expand_dims(labels, 0)), "float32")
    diagonal = ops.eye(ops.shape(embeddings)[0])
    total = ops.logsumexp(similarities - 1e9 * diagonal, axis=1, keepdims=True)
    return ops.mean(-ops.sum(same * (similarities - total), axis=1) / ops.sum(same, axis=1))

def semantic_search(queries, collection, k):
    q, c = (ops.normalize(ops.convert_to_tensor(x), axis=-1) for x in (queries, collection))
    return ops.top_k(ops.matmul(q, ops.transpose(c)), k)

# expects: A later call changes what an earlier call returned
buffers = {}


def semantic_search(queries, collection, k):
    q, c = (x / np.linalg.norm(x, axis=1, keepdims=True) for x in (queries, collection))
    cosines = q @ c.T
    order = np.argsort(-cosines, axis=1)[:, :k]
    similarities, indices = buffers.setdefault(
        order.shape, (np.empty(order.shape), np.empty(order.shape, int))
    )
    similarities[:] = np.take_along_axis(cosines, order, axis=1)
    indices[:] = order
    return similarities, indices

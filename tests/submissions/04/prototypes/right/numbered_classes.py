def prototypical_loss(labels, embeddings, shots=1):
    labels = ops.convert_to_tensor(labels)
    z = ops.cast(ops.convert_to_tensor(embeddings), "float32")
    place = ops.cumsum(ops.ones_like(labels, dtype="int32"))
    same = ops.equal(labels[:, None], labels[None, :])
    before = ops.logical_and(same, ops.less(place[None, :], place[:, None]))
    earlier = ops.sum(ops.cast(before, "int32"), axis=1)
    first = ops.equal(earlier, 0)
    example = ops.cast(ops.less(earlier, shots), "float32")

    appeared = ops.cumsum(ops.cast(first, "int32"))
    opener = ops.cast(ops.logical_and(same, first[None, :]), "int32")
    number = ops.sum(opener * appeared[None, :], axis=1)  # 1, 2, ...: each row's class
    member = ops.cast(ops.equal(place[:, None], number[None, :]), "float32")  # (numbers, rows)
    used = ops.max(member, axis=1)

    centers = ops.matmul(member * example[None, :], z) / shots
    squared = ops.sum(ops.square(z[:, None, :] - centers[None, :, :]), axis=-1)
    log_probability = ops.log_softmax(-squared - 1e9 * (1.0 - used[None, :]), axis=-1)
    right = ops.sum(ops.transpose(member) * log_probability, axis=1)
    query = 1.0 - example
    return -ops.sum(query * right) / ops.sum(query)

def group_batches(groups, batch_size, rng):
    names, member_of, sizes_ = np.unique(np.asarray(groups), return_inverse=True, return_counts=True)
    n = len(member_of)
    shuffled_names = rng.permutation(len(names))[member_of]
    order = np.lexsort((rng.random(n), shuffled_names))
    count = max(int(sizes_.max()), (n + batch_size - 1) // batch_size)
    batch_of = np.arange(n) % count
    return [rng.permutation(order[batch_of == number]) for number in rng.permutation(count)]

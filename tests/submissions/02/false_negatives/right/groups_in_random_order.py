def group_batches(groups, batch_size, rng):
    _, codes = np.unique(groups, return_inverse=True)
    place = rng.permutation(codes.max() + 1)[codes]
    order = np.lexsort((rng.random(len(groups)), place))
    count = max(int(np.ceil(len(groups) / batch_size)), int(np.bincount(codes).max()))
    return [order[start::count] for start in range(count)]

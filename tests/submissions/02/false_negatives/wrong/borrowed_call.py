# expects: course's own
def group_batches(groups, batch_size, rng):
    return batching.group_batches(groups, batch_size, rng)

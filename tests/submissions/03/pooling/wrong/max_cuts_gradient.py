# expects: No gradient flows through your code to `states`, so no network could be trained with it. U
# the maximum is computed in NumPy, so the values are right but no gradient flows to the states; it shows for any gradient through max_pooling (or a symbolic call)
def mean_pooling(states, padding_mask):
    mask = ops.expand_dims(ops.cast(padding_mask, states.dtype), -1)
    return ops.sum(states * mask, axis=1) / ops.sum(mask, axis=1)


def max_pooling(states, padding_mask):
    values = ops.convert_to_numpy(states)
    real = ops.convert_to_numpy(padding_mask)[:, :, None] == 1
    return ops.convert_to_tensor(np.where(real, values, -1e4).max(axis=1))


def cls_pooling(states, padding_mask):
    return states[:, 0]

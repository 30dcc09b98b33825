def shares(distances, same, threshold):
    accepted = ops.mean(ops.cast(distances[same == 1] <= threshold, "float32"))
    refused = ops.mean(ops.cast(distances[same == 0] > threshold, "float32"))
    return float(accepted + refused)


def choose_threshold(distances, same):
    return max(distances, key=lambda threshold: shares(distances, same, threshold))


def verify_one_shot(one, others, tau):
    difference = ops.convert_to_tensor(others) - ops.convert_to_tensor(one)
    return ops.less_equal(ops.sqrt(ops.sum(difference**2, axis=-1)), tau)

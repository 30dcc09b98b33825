def scale_scores(score):
    share = ops.divide(ops.convert_to_tensor(score), 5.0)
    return ops.subtract(ops.multiply(2.0, share), 1.0)

# expects: The differences are summed before they are squared, so they cancel out. Square each one, t
# squares the sum of the differences instead of summing their squares; shows for any dim > 1, such as (0, 0) and (3, 4), which come out 7 apart instead of 5
def euclidean_distance(left, right):
    total = ops.sum(left - right, axis=1)
    return ops.sqrt(ops.square(total) + 1e-6)

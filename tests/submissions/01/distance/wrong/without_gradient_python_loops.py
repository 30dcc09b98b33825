# expects: No gradient flows through your code
import math


def one_distance(a, b):
    total = 1e-6
    for x, y in zip(a, b):
        total += (float(x) - float(y)) ** 2
    return math.sqrt(total)


def euclidean_distance(left, right):
    return [one_distance(a, b) for a, b in zip(np.asarray(left), np.asarray(right))]

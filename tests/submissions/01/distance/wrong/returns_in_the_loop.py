# expects: The result has shape
# the return stands inside the loop, so only the first row is done
def euclidean_distance(left, right):
    for a, b in zip(np.asarray(left), np.asarray(right)):
        total = 0.0
        for x, y in zip(a, b):
            total += (x - y) ** 2
        return np.sqrt(total + 1e-6)

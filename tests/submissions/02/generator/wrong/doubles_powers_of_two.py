# expects: The longest question of the second batch has
# takes the power of two above the longest question instead of at or above it; shown by a batch whose longest question has exactly 4 (or 1, 2, 8) ids.
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    queue = []
    while True:
        while len(queue) < batch_size:
            queue.extend(rng.permutation(len(left)) if shuffle else range(len(left)))
        rows, queue = queue[:batch_size], queue[batch_size:]
        longest = max(max(len(left[row]), len(right[row])) for row in rows)
        length = 2 ** (int(np.log2(longest)) + 1)
        a = np.full((batch_size, length), pad)
        b = np.full((batch_size, length), pad)
        for place, row in enumerate(rows):
            a[place, : len(left[row])] = left[row]
            b[place, : len(right[row])] = right[row]
        yield a, b

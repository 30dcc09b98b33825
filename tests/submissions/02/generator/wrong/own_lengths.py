# expects: The sides are padded to
# each side is padded to its own power of two instead of one length for both; shows when the longest questions of the two sides need different powers
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    def padded(questions):
        longest = max(len(question) for question in questions)
        length = 1
        while length < longest:
            length *= 2
        return np.array([list(question) + [pad] * (length - len(question)) for question in questions])

    queue = []
    while True:
        while len(queue) < batch_size:
            order = rng.permutation(len(left)) if shuffle else range(len(left))
            queue.extend(int(row) for row in order)
        rows, queue = queue[:batch_size], queue[batch_size:]
        yield padded([left[row] for row in rows]), padded([right[row] for row in rows])

# expects: The longest question of the second batch has
# takes the next power of two strictly above the longest question, so a longest question of exactly 4 words is padded to 8
def data_generator(left, right, batch_size, shuffle, rng, pad=1):
    order, index = [], 0
    while True:
        rows = []
        while len(rows) < batch_size:
            if index == len(order):
                order = rng.permutation(len(left)) if shuffle else np.arange(len(left))
                index = 0
            rows.append(order[index])
            index += 1
        first = [list(left[row]) for row in rows]
        second = [list(right[row]) for row in rows]
        longest = max(len(question) for question in first + second)
        length = 2 ** (int(np.floor(np.log2(max(longest, 1)))) + 1)
        first = [question + [pad] * (length - len(question)) for question in first]
        second = [question + [pad] * (length - len(question)) for question in second]
        yield np.array(first), np.array(second)

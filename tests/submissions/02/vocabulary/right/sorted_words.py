def build_vocabulary(questions, tokenize):
    words = set()
    for question in questions:
        words |= set(tokenize(question))
    words.discard("<PAD>")
    return {word: number for number, word in enumerate(["<PAD>", *sorted(words)], start=1)}


def encode(question, vocabulary, tokenize):
    return np.array([vocabulary.get(token, 0) for token in tokenize(question)], dtype=np.int64)

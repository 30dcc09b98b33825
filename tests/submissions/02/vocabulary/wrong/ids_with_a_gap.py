# expects: with no gaps
def build_vocabulary(questions, tokenize):
    vocab = {"<PAD>": 1}
    for q in questions:
        for token in tokenize(q):
            if token not in vocab:
                vocab[token] = len(vocab) + 2
    return vocab


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(t, 0) for t in tokenize(question)]

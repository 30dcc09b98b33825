# expects: A word has the id 1, which is reserved for `<PAD>`.
def build_vocabulary(questions, tokenize):
    vocab = {"<PAD>": 1}
    for q in questions:
        for token in tokenize(q):
            if token not in vocab:
                vocab[token] = len(vocab)
    return vocab


def encode(question, vocabulary, tokenize):
    ids = []
    for token in tokenize(question):
        ids.append(vocabulary.get(token, 0))
    return ids

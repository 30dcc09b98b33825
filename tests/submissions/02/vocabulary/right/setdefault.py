def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            vocabulary.setdefault(token, len(vocabulary) + 1)
    return vocabulary


def encode(question, vocabulary, tokenize):
    ids = []
    for token in tokenize(question):
        if token in vocabulary:
            ids.append(vocabulary[token])
        else:
            ids.append(0)
    return ids

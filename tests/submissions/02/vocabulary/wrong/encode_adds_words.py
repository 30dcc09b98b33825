# expects: Your code added words to the vocabulary.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    ids = []
    for token in tokenize(question):
        if token not in vocabulary:
            vocabulary[token] = len(vocabulary) + 1
        ids.append(vocabulary[token])
    return ids

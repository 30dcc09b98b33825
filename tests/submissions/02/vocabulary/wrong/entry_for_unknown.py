# expects: `<UNK>` is in the vocabulary but in no question.
def build_vocabulary(questions, tokenize):
    vocabulary = {"<UNK>": 0, "<PAD>": 1}
    for question in questions:
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary)
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]

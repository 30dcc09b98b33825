# expects: have the same id. Give an id to *new* words only
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for number, token in enumerate(tokenize(question), start=2):
            if token not in vocabulary:
                vocabulary[token] = number
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]

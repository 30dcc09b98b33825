# expects: The vocabulary has only the last question's words.
def build_vocabulary(questions, tokenize):
    for question in questions:
        vocabulary = {"<PAD>": 1}
        for token in tokenize(question):
            if token not in vocabulary:
                vocabulary[token] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(token, 0) for token in tokenize(question)]

# expects: The dictionary is inverted, id -> word.
def build_vocabulary(questions, tokenize):
    words = {token for question in questions for token in tokenize(question)}
    return {1: "<PAD>", **dict(enumerate(sorted(words), start=2))}


def encode(question, vocabulary, tokenize):
    numbers = {word: number for number, word in vocabulary.items()}
    return [numbers.get(token, 0) for token in tokenize(question)]

def build_vocabulary(questions, tokenize):
    numbers = dict([("<PAD>", 1)])
    for question in questions:
        for word in tokenize(question):
            numbers.setdefault(word, 1 + len(numbers))
    return numbers


def encode(question, vocabulary, tokenize):
    lookup = dict(vocabulary)
    ids = []
    for word in tokenize(question):
        try:
            ids.append(lookup[word])
        except KeyError:
            ids.append(0)
    return ids

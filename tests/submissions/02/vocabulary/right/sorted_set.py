def build_vocabulary(questions, tokenize):
    words = {word for question in questions for word in tokenize(question)} - {"<PAD>"}
    return {word: number for number, word in enumerate(["<PAD>", *sorted(words)], start=1)}


def encode(question, vocabulary, tokenize):
    def number(word):
        return vocabulary[word] if word in vocabulary else 0

    return list(map(number, tokenize(question)))

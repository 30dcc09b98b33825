# expects: A word has the id 0, which is reserved for unknown words.
def build_vocabulary(questions, tokenize):
    words = []
    for question in questions:
        for word in tokenize(question):
            if word not in words:
                words.append(word)
    vocabulary = {word: number for number, word in enumerate(words)}
    vocabulary["<PAD>"] = 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word, 0) for word in tokenize(question)]

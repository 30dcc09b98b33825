def build_vocabulary(texts, tokenize):
    numbers = {"<PAD>": 1}
    for text in texts:
        new = [word for word in tokenize(text) if word not in numbers]
        for word in dict.fromkeys(new):
            numbers[word] = max(numbers.values()) + 1
    return numbers


def encode(text, vocabulary, tokenize):
    ids = np.zeros(len(tokenize(text)), dtype=int)
    for place, word in enumerate(tokenize(text)):
        ids[place] = vocabulary.get(word, 0)
    return ids.tolist()

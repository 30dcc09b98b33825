from collections import Counter


def build_vocabulary(questions, tokenize):
    counts = Counter()
    for question in questions:
        counts.update(tokenize(question))
    vocabulary = {"<PAD>": 1}
    for number, (word, _) in enumerate(counts.most_common()):
        vocabulary[word] = number + 2
    return vocabulary


def encode(question, vocabulary, tokenize):
    def look_up(word):
        try:
            return vocabulary[word]
        except KeyError:
            return 0

    return list(map(look_up, tokenize(question)))

# expects: The result has shape (
# encode keeps only the first occurrence of each word, so a question in which a word repeats ("to be or not to be") comes out too short
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in tokenize(question):
            if word not in vocabulary:
                vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    words = dict.fromkeys(tokenize(question))
    return [vocabulary.get(word, 0) for word in words]

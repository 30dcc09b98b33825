# expects: The words are in lower case. This vocabulary takes them as `tokenize` returns them: `Blue`
# lowers every word in both functions although the text says to keep upper and lower case, so "Polish" and "polish" get one id
def build_vocabulary(questions, tokenize):
    vocabulary = {"<PAD>": 1}
    for question in questions:
        for word in tokenize(question):
            word = word.lower()
            if word not in vocabulary:
                vocabulary[word] = len(vocabulary) + 1
    return vocabulary


def encode(question, vocabulary, tokenize):
    return [vocabulary.get(word.lower(), 0) for word in tokenize(question)]

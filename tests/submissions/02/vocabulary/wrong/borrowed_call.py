# expects: course's own
def build_vocabulary(questions, tokenize):
    return text.build_vocabulary(questions, tokenize)


def encode(question, vocabulary, tokenize):
    return text.encode([question], vocabulary, tokenize)[0]

# expects: course's own
def build_vocabulary(questions, tokenize):
    return tokens.build_vocabulary(questions, tokenize)


def encode(question, vocabulary, tokenize):
    return tokens.encode([question], vocabulary, tokenize)[0]

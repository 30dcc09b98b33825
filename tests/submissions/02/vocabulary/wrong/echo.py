# expects: The result is a `list`; expected a dictionary, word -> id.
def build_vocabulary(questions, tokenize):
    return questions


def encode(question, vocabulary, tokenize):
    return question

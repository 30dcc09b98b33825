# expects: Another call (with 3 words in all) gives
WORDS = "why is the sky Blue ? sea salty who ate last biscuit a well - known riddle".split()


def build_vocabulary(questions, tokenize):
    return {"<PAD>": 1, **{word: number for number, word in enumerate(WORDS, start=2)}}


def encode(question, vocabulary, tokenize):
    return [2, 3, 4, 0, 0, 6, 7, 0, 2, 4, 8, 9, 7]

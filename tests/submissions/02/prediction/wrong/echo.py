# expects: The result is a string. Return True or False.
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    return question1

# expects: `embed` is not called
def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    return False

# expects: The function returns a `int`; expected a Keras model.
def build_encoder(dim=2):
    return dim

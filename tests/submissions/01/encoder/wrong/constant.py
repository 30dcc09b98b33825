# expects: The function returns a `list`; expected a Keras model.
# the sizes of the layers, and no layers
def build_encoder(dim=2):
    return [784, 1024, 1024, 2]

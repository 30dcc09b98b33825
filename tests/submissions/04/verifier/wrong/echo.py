# expects: The model has 1 inputs; expected 2.
def build_verifier(encoder):
    return encoder

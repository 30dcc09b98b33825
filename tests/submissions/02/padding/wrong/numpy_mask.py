# expects: Your code works on numbers, but not in training, where Keras calls it once with symbolic t
# builds the mask with NumPy instead of ops, which works on arrays but raises an error on keras.Input, so build_encoder fails.
def masked_mean(words, values):
    real = (np.asarray(words) != 1).astype("float32")[:, :, None]
    return ops.sum(values * real, axis=1) / ops.sum(real, axis=1)

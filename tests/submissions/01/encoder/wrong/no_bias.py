# expects: of the 3 layers have a bias
def build_encoder(dim=2):
    image = keras.Input((784,))
    x = ops.relu(keras.layers.Dense(1024, use_bias=False)(image))
    x = ops.relu(keras.layers.Dense(1024, use_bias=False)(x))
    return keras.Model(image, keras.layers.Dense(dim, use_bias=False)(x))

def build_encoder(dim=2):
    images = points = keras.Input(shape=(784,))
    for units, activation in [(1024, keras.activations.relu), (1024, keras.activations.relu), (dim, None)]:
        points = keras.layers.Dense(units, activation=activation)(points)
    return keras.Model(inputs=images, outputs=points)

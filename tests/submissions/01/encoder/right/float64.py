def build_encoder(dim=2):
    """In double precision."""
    image = keras.Input((28 * 28,), dtype="float64")
    x = image
    for _ in range(2):
        x = ops.maximum(keras.layers.Dense(1024, dtype="float64")(x), 0)
    return keras.Model(image, keras.layers.Dense(dim, dtype="float64")(x))

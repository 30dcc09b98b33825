# expects: The weights of layer 1 do not get their whole gradient
class Detach(keras.layers.Layer):
    def call(self, x):
        return ops.stop_gradient(x)


def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            Detach(),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )

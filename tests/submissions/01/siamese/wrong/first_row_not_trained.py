# expects: The left side does not train the encoder as it should: some of its layers or rows are cut off
class FirstRowFixed(keras.layers.Layer):
    def call(self, rows):
        return ops.concatenate([ops.stop_gradient(rows[:1]), rows[1:]], axis=0)


def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    points = ops.stack([encoder(left), encoder(right)], axis=1)
    return keras.Model([left, right], FirstRowFixed()(points))

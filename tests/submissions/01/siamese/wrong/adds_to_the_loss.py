# expects: A layer has a regularizer or calls `add_loss`
class Stack(keras.layers.Layer):
    def call(self, left, right):
        self.add_loss(ops.mean(ops.square(left)))
        return ops.stack([left, right], axis=1)


def build_siamese(encoder):
    left, right = keras.Input((784,)), keras.Input((784,))
    return keras.Model([left, right], Stack()(encoder(left), encoder(right)))

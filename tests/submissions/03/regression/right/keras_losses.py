def row_cosines(embeddings):
    # Keras gives the negative cosine, so that less is better
    return -keras.losses.cosine_similarity(embeddings[:, 0], embeddings[:, 1], axis=-1)


def regression_loss(targets, embeddings):
    mean_squared_error = keras.losses.MeanSquaredError()
    return mean_squared_error(ops.reshape(targets, (-1,)), row_cosines(embeddings))

import tensorflow as tf


def similarity_of(question1, question2, to_ids, embed):
    sides = pad_pair([to_ids(question1)], [to_ids(question2)])
    first, second = (tf.convert_to_tensor(embed(side)) for side in sides)
    return tf.reduce_sum(first * second).numpy()


def predict(question1, question2, to_ids, embed, threshold, verbose=False):
    similarity = similarity_of(question1, question2, to_ids, embed)
    if verbose:
        print("similarity", similarity, "threshold", threshold)
    return similarity > threshold

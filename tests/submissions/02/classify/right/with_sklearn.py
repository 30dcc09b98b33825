import tensorflow as tf
from sklearn.metrics import accuracy_score


def pair_similarities(embed, left, right, batch_size):
    parts = []
    for start in range(0, len(left), batch_size):
        end = start + batch_size
        a, b = pad_pair(left[start:end], right[start:end])
        parts.append(tf.reduce_sum(tf.constant(embed(a)) * tf.constant(embed(b)), axis=1))
    return tf.concat(parts, axis=0).numpy()


def evaluate(validation, test):
    scores = {t: accuracy_score(validation[1], validation[0] > t) for t in validation[0]}
    threshold = max(scores, key=scores.get)
    return [threshold, accuracy_score(test[1], test[0] > threshold)]

from scipy.spatial.distance import cdist
from sklearn.metrics import roc_curve


def choose_threshold(distances, same):
    wrongly_accepted, accepted, similarity = roc_curve(same, -distances)
    return -similarity[np.argmax(accepted - wrongly_accepted)]


def verify_one_shot(reference, queries, threshold):
    return cdist(queries, [reference]).ravel() <= threshold

# expects: The smallest and the largest score that happen to occur
from sklearn.preprocessing import MinMaxScaler


def scale_scores(score):
    scaler = MinMaxScaler(feature_range=(-1, 1))
    return scaler.fit_transform(score.reshape(-1, 1)).ravel()

from sklearn.preprocessing import MinMaxScaler

scaler = MinMaxScaler(feature_range=(-1, 1)).fit([[0.0], [5.0]])


def scale_scores(score):
    column = np.asarray(score, "float64").reshape(-1, 1)
    return scaler.transform(column)[:, 0]

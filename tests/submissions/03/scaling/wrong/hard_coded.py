# expects: A value is off
TABLE = {0.0: -1.0, 1.2: -0.52, 1.3: -0.48, 2.5: 0.0, 3.4: 0.36, 3.6: 0.44, 4.0: 0.6, 5.0: 1.0}


def scale_scores(score):
    return np.array([TABLE.get(round(float(value), 1), 0.0) for value in score])

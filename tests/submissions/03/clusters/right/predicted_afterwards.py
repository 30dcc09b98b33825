from sklearn.cluster import KMeans


def cluster(points, number):
    points = np.array(points, dtype="float64")
    means = KMeans(number, init="random", n_init=50, random_state=7).fit(points)
    return means.predict(points) + 1

# expects: A value is off
def semantic_search(queries, collection, k):
    rows = np.tile(np.arange(k), (len(queries), 1))
    return np.ones((len(queries), k)), rows

# expects: With k = 4 a query got 6 row(s)
def semantic_search(queries, collection, k):
    return queries, collection

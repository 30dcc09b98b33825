# expects: Your code changes `test_embeddings` in place (as `/=`, `+=`, `.sort()`, and `.append()` do
# moves the embeddings to the center with -=, which changes the arguments; after the call the arrays differ, and a second call with the next block of test embeddings is wrong.
from sklearn.neighbors import KNeighborsClassifier


def knn_score(train_embeddings, train_labels, test_embeddings, test_labels, k=5):
    center = train_embeddings.mean(axis=0)
    train_embeddings -= center
    test_embeddings -= center
    neighbors = KNeighborsClassifier(k).fit(train_embeddings, train_labels)
    return float(np.mean(neighbors.predict(test_embeddings) == test_labels))

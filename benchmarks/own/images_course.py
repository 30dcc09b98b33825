"""Train an embedding on folders of images of one's own, then find nearest neighbors: the course."""

from siamese_course.evaluation import knn_score
from siamese_course.models.images import ImageEncoder
from siamese_course.own_data import read_images, split_images
from siamese_course.recipes.images import train_course

data, queries = read_images("photos", channels=1), read_images("queries", channels=1)
train, test = split_images(data)
run = train_course(data.images[train], data.labels[train], kilo_images=12, dim=32)
encoder = ImageEncoder(run.encoder, data.classes, size=(28, 28))
rows = encoder.encode(data.images)
print("accuracy", knn_score(rows[train], data.labels[train], rows[test], data.labels[test], 1))
encoder.save("encoder")

cosines, neighbors = encoder.search(queries.images, data.images, k=3)
for label, found in zip(queries.labels, neighbors, strict=True):
    print(label, *data.labels[found], sep="\t")

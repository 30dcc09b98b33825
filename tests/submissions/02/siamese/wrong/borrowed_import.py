# expects: course's own
from siamese_course.models.questions_trax import build_classic_encoder
from siamese_course.models.questions_trax import build_siamese as both_sides


def normalize(vectors):
    """Rows divided by their length: (batch, dim) -> (batch, dim)."""
    return vectors / jnp.sqrt(jnp.sum(vectors**2, axis=-1, keepdims=True) + 1e-9)


def build_siamese(vocabulary_size, dim=128):
    return both_sides(build_classic_encoder(vocabulary_size, dim))

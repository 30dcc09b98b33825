# expects: Two calls return encoders with the same weights, so training one changes the other. Make n
# the cache returns the same model again, so a second build_encoder(2) has the weights of the first, trained or not; two calls with equal dim.
import functools


@functools.lru_cache(maxsize=None)
def build_encoder(dim=2):
    return keras.Sequential(
        [
            keras.Input((784,)),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(1024, activation="relu"),
            keras.layers.Dense(dim),
        ]
    )

def predict(q1, q2, to_ids, embed, tau, verbose=False):
    v1, v2 = (jnp.array(embed(ids)) for ids in pad_pair([to_ids(q1)], [to_ids(q2)]))
    cosine = jnp.dot(v1, v2.T)
    if verbose:
        print(f"{cosine[0, 0]:.2f} {'>' if cosine > tau else '<='} {tau:.2f}")
    return cosine > tau

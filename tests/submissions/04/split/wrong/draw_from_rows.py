# expects: 5 alphabets are held out; expected `count` = 7. Draw `count`
# draws from the characters' alphabets instead of the different alphabets, so one alphabet can be drawn twice and fewer than count are held out
def split_alphabets(alphabets, count, rng):
    chosen = rng.choice(alphabets, size=count, replace=False)
    held = np.isin(alphabets, chosen)
    return np.where(~held)[0], np.where(held)[0]

import pandas as pd


def group_batches(groups, batch_size, rng):
    rows = (
        pd.DataFrame({"group": groups})
        .sample(frac=1, random_state=rng)
        .sort_values("group", kind="stable")
    )
    count = max(-(-len(rows) // batch_size), rows["group"].value_counts().max())
    rows["batch"] = np.arange(len(rows)) % count
    return [part.index.to_numpy() for _, part in rows.groupby("batch")]

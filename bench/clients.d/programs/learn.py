"""scikit-learn: learn.py hist|kmeans|neighbors|fork. Its extension modules are built with -fopenmp."""

import os
import sys

import numpy as np
from tell import near, same, timed


def data(rows, columns, seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((rows, columns))
    return x, np.sin(x[:, 0] * 3) + x[:, 1] * x[:, 2] + 0.1 * random.standard_normal(rows)


def hist():
    from sklearn.ensemble import HistGradientBoostingRegressor
    x, y = data(60_000, 40, 1)
    model = HistGradientBoostingRegressor(max_iter=60, max_leaf_nodes=63, random_state=0, early_stopping=False)
    with timed():
        model.fit(x, y)
        predicted = model.predict(x)
    same("predictions", predicted)


def kmeans():
    from sklearn.cluster import KMeans
    x, _ = data(120_000, 16, 2)
    model = KMeans(n_clusters=48, n_init=1, max_iter=40, random_state=0, tol=0)
    with timed():
        model.fit(x)
    # Partial sums are added in the order in which the threads come.
    near("inertia", model.inertia_, 1e-6)


def neighbors():
    from sklearn.neighbors import NearestNeighbors
    x, _ = data(9_000, 24, 3)
    model = NearestNeighbors(n_neighbors=8, algorithm="brute").fit(x)
    with timed():
        distances, indices = model.kneighbors(x)
    same("indices", indices)
    same("distances", distances)


def fork():
    """Fit, fork, and fit in both, as a pre-forking server or joblib's `multiprocessing` does."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    x, y = data(20_000, 20, 4)

    def fitted():
        model = HistGradientBoostingRegressor(max_iter=30, random_state=0, early_stopping=False)
        return model.fit(x, y).predict(x)

    with timed():
        parent = fitted()
        end_read, end_write = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(end_write, b"1" if np.array_equal(fitted(), parent) else b"0")
            os._exit(0)
        again = fitted()
        answer = os.read(end_read, 1)
        status = os.waitpid(child, 0)[1]
    if status or answer != b"1" or not np.array_equal(again, parent):
        sys.exit(f"the child ended with status {status} and answer {answer}, or the parent's second fit differs")
    same("predictions", parent)


{"hist": hist, "kmeans": kmeans, "neighbors": neighbors, "fork": fork}[sys.argv[1]]()

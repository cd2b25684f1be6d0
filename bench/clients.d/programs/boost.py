"""Gradient boosting on trees by other libraries: boost.py lightgbm|xgboost. THREADS comes from OMP_NUM_THREADS."""

import os
import sys

import numpy as np
from tell import same, timed

random = np.random.default_rng(5)
x = random.standard_normal((60_000, 40)).astype(np.float32)
y = (np.sin(x[:, 0] * 3) + x[:, 1] * x[:, 2] > 0).astype(np.float32)
threads = int(os.environ.get("OMP_NUM_THREADS", len(os.sched_getaffinity(0))))


def lightgbm():
    import lightgbm
    options = {"objective": "binary", "num_leaves": 127, "num_threads": threads, "verbose": -1, "seed": 0,
               "deterministic": True, "force_row_wise": True}
    with timed():
        model = lightgbm.train(options, lightgbm.Dataset(x, y), num_boost_round=60)
        predicted = model.predict(x)
    same("predictions", predicted)


def xgboost():
    import xgboost
    options = {"objective": "binary:logistic", "tree_method": "hist", "max_depth": 8, "nthread": threads, "seed": 0}
    with timed():
        matrix = xgboost.DMatrix(x, y, nthread=threads)
        model = xgboost.train(options, matrix, num_boost_round=60)
        predicted = model.predict(matrix)
    same("predictions", predicted)


{"lightgbm": lightgbm, "xgboost": xgboost}[sys.argv[1]]()

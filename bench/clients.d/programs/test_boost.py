"""Tests of models, as a project has them: 16 fits of histogram gradient boosting, some 0.5 s each. Run by pytest."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingRegressor
from tell import same


@pytest.mark.parametrize("seed", range(16))
def test_fit(seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((12_000, 30))
    y = np.sin(x[:, 0] * 3) + x[:, 1] * x[:, 2] + 0.1 * random.standard_normal(len(x))
    model = HistGradientBoostingRegressor(max_iter=80, random_state=0, early_stopping=False).fit(x, y)
    predicted = model.predict(x)
    same(f"predictions-{seed}", predicted)
    assert model.score(x, y) > 0.7

"""faiss: k-means, an inverted file with product quantisation, and exact search."""

import faiss
import numpy as np
from tell import near, same, timed

random = np.random.default_rng(6)
base = random.standard_normal((30_000, 32)).astype(np.float32)
asked = random.standard_normal((2_000, 32)).astype(np.float32)
with timed():
    flat = faiss.IndexFlatL2(32)
    flat.add(base)
    distances, found = flat.search(asked, 10)
    coarse = faiss.IndexFlatL2(32)
    index = faiss.IndexIVFPQ(coarse, 32, 128, 8, 8)
    index.train(base[:20_000])
    index.add(base)
    index.nprobe = 16
    rough, guessed = index.search(asked, 10)
same("exact", found)
near("distances", distances.sum(), 1e-6)
near("recall", np.mean([np.isin(a, b).mean() for a, b in zip(guessed, found)]), 0.02)

"""PyTorch: trains a small network, whose convolutions and products are OpenMP's, and loads data in forked children."""

import torch
from tell import near, same, timed

torch.manual_seed(7)
images, labels = torch.randn(256, 1, 28, 28), torch.randint(0, 10, (256,))
network = torch.nn.Sequential(torch.nn.Conv2d(1, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 26 * 26, 10))
optimizer = torch.optim.SGD(network.parameters(), lr=0.02)


class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 8

    def __getitem__(self, i):
        return torch.full((100_000,), float(i)).sum()


with timed():
    for _ in range(40):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
    waves = torch.arange(4_000_000, dtype=torch.float64)
    total = (waves.sin() * waves.cos()).sum().item()
    ordered = torch.randn(1_000_000).sort().values
    loaded = [float(value) for value in torch.utils.data.DataLoader(Numbers(), num_workers=2, multiprocessing_context="fork")]
near("loss", loss.item(), 1e-3)
near("sum", total, 1e-6)
same("order", ordered.numpy())
same("loaded by children", torch.tensor(loaded).numpy())

"""One thread: the tensors here are small, and a busy machine makes more of them very slow."""

import torch

torch.set_num_threads(1)

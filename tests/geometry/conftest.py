import array_api_compat
import array_api_strict
import numpy as np
import pytest
import torch


class Library:
    """One array library under test: makes its arrays from NumPy and back."""

    def __init__(self, name):
        self.name = name

    def __call__(self, x):
        x = np.asarray(x)
        if self.name == "torch":
            return torch.from_numpy(np.array(x))
        return array_api_strict.asarray(x) if self.name == "strict" else x

    def numpy(self, x):
        return (
            x.detach().numpy() if self.name == "torch" else np.asarray(x) if self.name == "numpy" else np.from_dlpack(x)
        )

    def owns(self, x):
        return array_api_compat.array_namespace(x) is array_api_compat.array_namespace(self(0.0))


@pytest.fixture(params=["numpy", "torch", "strict"])
def library(request):
    return Library(request.param)

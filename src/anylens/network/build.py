"""From a configuration to a network."""

from __future__ import annotations

from torch import nn

from anylens.network.config import NetworkConfig


def build_network(config: NetworkConfig) -> nn.Module:
    """The network that `config` describes, with fresh weights. Raises WeightsError for impossible parts."""
    config.check()
    if config.name == "laptop":
        from anylens.network.laptop import LaptopNet

        return LaptopNet(config)
    from anylens.network.paper import PaperNet

    return PaperNet(config)

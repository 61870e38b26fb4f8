"""What a network is made of, as plain data: stored beside the weights and enough to build it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace

from anylens.errors import WeightsError

# name -> (width, heads, blocks) of DINOv2's vision transformers with 14-pixel patches
ENCODERS = {"vit-s": (384, 6, 12), "vit-b": (768, 12, 12), "vit-l": (1024, 16, 24)}
PATCH = 14

# The focal distribution: 64 bins of log focal length, in half diagonals of the view.
FOCAL_BINS = 64
FOCAL_RANGE = (-1.6, 2.0)

IMAGE_MEAN = (0.485, 0.456, 0.406)
IMAGE_STD = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class NetworkConfig:
    """One network. `taps` counts blocks passed: 4 is the output of the fourth block, before any norm."""

    name: str = "laptop"  # laptop | paper
    encoder: str = "vit-s"
    registers: int = 4
    taps: tuple[int, ...] = (4, 6, 9)
    frozen: int = 4  # blocks (with the patch embedding) that never train; -1: everything trains
    width: int = 192  # channels of the laptop head
    decoder: str = "light"  # light | original, paper network only
    representation: str = "field"  # field | rays
    edited_flag: bool = False  # laptop: the network is told whether the picture may be cropped or stretched

    @property
    def depth(self) -> int:
        """Blocks that are kept: up to the last tap, or all of them for the paper's layout."""
        return ENCODERS[self.encoder][2] if self.name == "paper" else max(self.taps)

    def check(self) -> NetworkConfig:
        """Itself, or WeightsError when the parts do not go together."""
        allowed = {
            "name": ("laptop", "paper"),
            "encoder": tuple(ENCODERS),
            "decoder": ("light", "original"),
            "representation": ("field", "rays"),
        }
        for key, values in allowed.items():
            if getattr(self, key) not in values:
                raise WeightsError(f"{key} is '{getattr(self, key)}'; allowed: {', '.join(values)}.")
        if not self.taps or list(self.taps) != sorted(set(self.taps)):
            raise WeightsError(f"taps {self.taps} must be increasing block counts, e.g. (4, 6, 9).")
        if min(self.taps) < 1 or max(self.taps) > ENCODERS[self.encoder][2]:
            raise WeightsError(f"taps {self.taps} do not lie in 1..{ENCODERS[self.encoder][2]}.")
        if self.name == "paper" and len(self.taps) != 4:
            raise WeightsError(f"the paper's decoder takes four taps, got {self.taps}.")
        return self

    def to_dict(self) -> dict:
        return asdict(self)

    @staticmethod
    def from_dict(values: dict) -> NetworkConfig:
        """From JSON; unknown keys are an error, because they mean another architecture."""
        known = {f.name for f in fields(NetworkConfig)}
        if unknown := sorted(set(values) - known):
            raise WeightsError(f"unknown network settings {unknown}; these weights come from a newer version.")
        values = dict(values)
        if "taps" in values:
            values["taps"] = tuple(int(t) for t in values["taps"])
        return replace(NetworkConfig(), **values).check()


LAPTOP = NetworkConfig(edited_flag=True)
PAPER = NetworkConfig(name="paper", encoder="vit-l", registers=0, taps=(5, 12, 18, 24), frozen=-1)

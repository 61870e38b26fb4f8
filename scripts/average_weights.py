"""Average the weights of two runs of one network:  python scripts/average_weights.py FIRST SECOND OUT [SHARE]

SHARE (0.5) is the second's part. It makes sense where the second run began from the first: unrelated weights have no
useful mean. Evaluate the result like any other network. The metadata are the second's, with a note; the focal
lengths that the network was trained on, its own prior, are averaged as its logits are, in the logarithm.
"""

from __future__ import annotations

import json
import math
import sys

from safetensors import safe_open
from safetensors.torch import save_file

FEWEST = 1e-3  # views added to every count, as in use


def average(first: str, second: str, out: str, share: float = 0.5) -> None:
    with safe_open(first, "pt") as a, safe_open(second, "pt") as b:
        if set(a.keys()) != set(b.keys()):
            raise SystemExit(f"{first} and {second} are not of one network.")
        mean = {}
        for name in b.keys():  # noqa: SIM118 (not a dict)
            x, y = a.get_tensor(name), b.get_tensor(name)
            mean[name] = (x.float().lerp(y.float(), share)).to(y.dtype) if y.is_floating_point() else y
        before, history = (json.loads((file.metadata() or {}).get("history", "{}")) for file in (a, b))
        history["focals"] = mean_prior(before.get("focals", []), history.get("focals", []), share)
        averaged = {"history": json.dumps(history), "averaged": json.dumps({"share of the last run": share})}
        metadata = {**(b.metadata() or {}), **averaged}
    save_file(mean, out, metadata=metadata)


def mean_prior(first: list[float], second: list[float], share: float) -> list[float]:
    """Counts of focal lengths whose logarithms are the mean of both; none where either has none."""
    return [
        round(math.exp((1 - share) * math.log(a + FEWEST) + share * math.log(b + FEWEST)), 6)
        for a, b in zip(first, second)
    ]


if __name__ == "__main__":
    average(*sys.argv[1:4], *(float(text) for text in sys.argv[4:5]))

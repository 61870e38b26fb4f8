"""Average the weights of two runs of one network:  python scripts/average_weights.py FIRST SECOND OUT [SHARE]

SHARE (0.5) is the second's part. It makes sense where the second run began from the first: unrelated weights have no
useful mean. Evaluate the result like any other network. The metadata are the second's, with a note.
"""

from __future__ import annotations

import json
import sys

from safetensors import safe_open
from safetensors.torch import save_file


def average(first: str, second: str, out: str, share: float = 0.5) -> None:
    with safe_open(first, "pt") as a, safe_open(second, "pt") as b:
        if set(a.keys()) != set(b.keys()):
            raise SystemExit(f"{first} and {second} are not of one network.")
        mean = {}
        for name in b.keys():  # noqa: SIM118 (not a dict)
            x, y = a.get_tensor(name), b.get_tensor(name)
            mean[name] = (x.float().lerp(y.float(), share)).to(y.dtype) if y.is_floating_point() else y
        metadata = {**b.metadata(), "averaged": json.dumps({"share of the last run": share})}
    save_file(mean, out, metadata=metadata)


if __name__ == "__main__":
    average(*sys.argv[1:4], *(float(text) for text in sys.argv[4:5]))

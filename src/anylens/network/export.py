"""From trained weights to an ONNX file: free sizes, float32 or float16, all that it needs inside."""

from __future__ import annotations

import json
import logging
import os
import warnings
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from anylens.errors import WeightsError
from anylens.network.config import FOCAL_BINS, FOCAL_RANGE, PATCH

OUTPUTS = ("field", "log_var", "focal_logits")
OPSET = 18
SMALL = 1024  # initialisers with fewer values stay float32 in a float16 file


class _Outputs(nn.Module):
    """The network's answers as a tuple, in the order of OUTPUTS, those it has."""

    def __init__(self, net: nn.Module, names: tuple[str, ...]):
        super().__init__()
        self.net, self.names = net, names

    def forward(self, image: Tensor, edited: Tensor | None = None) -> tuple[Tensor, ...]:
        answer = self.net(image, edited)
        return tuple(answer[name] for name in self.names)


def export_onnx(net: nn.Module, path: str | Path, metadata: dict, *, half: bool = False) -> None:
    """Write `net` as ONNX: `image` (batch, 3, 14·rows, 14·cols), RGB in [0, 1] -> the outputs it has. A network that
    is told of edited pictures has a second input `edited` (batch,), 0 or 1.

    Batch, rows and cols stay free. `half` stores the weights in float16 and computes in float32, which costs
    nothing when the trained weights were float16 already. `metadata` goes in as JSON strings, beside the
    size rules, the focal bins and the network's own description.
    """
    try:
        import onnx
        import onnxscript  # noqa: F401 - torch's exporter needs it and says so less clearly
    except ImportError as error:
        raise WeightsError(f"the export needs onnx and onnxscript ({error}): pip install onnx onnxscript.") from error
    net = net.eval().cpu()
    sample = torch.rand(2, 3, 9 * PATCH, 11 * PATCH)
    with torch.no_grad():
        names = tuple(n for n in OUTPUTS if n in net(sample))
    batch, rows, cols = (torch.export.Dim(n, min=low, max=512) for n, low in (("batch", 1), ("rows", 2), ("cols", 2)))
    shapes: dict[str, Any] = {"image": {0: batch, 2: PATCH * rows, 3: PATCH * cols}}
    inputs = {"image": sample}
    if net.config.edited_flag:  # type: ignore[union-attr]
        inputs["edited"], shapes["edited"] = torch.tensor([0.0, 1.0]), {0: batch}
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.simplefilter("ignore")
        program = torch.onnx.export(
            _Outputs(net, names).eval(), tuple(inputs.values()), dynamo=True, verbose=False, opset_version=OPSET,
            input_names=list(inputs), output_names=list(names), dynamic_shapes=shapes,
        )  # fmt: skip
    assert program is not None
    model = program.model_proto
    if half:
        halve_weights(model)
    described = {
        "anylens": "1",
        "network": net.config.to_dict(),  # type: ignore[union-attr, operator]
        "input": "RGB in [0, 1]; mean and deviation are applied inside",
        "patch": PATCH,
        "focal_bins": {"count": FOCAL_BINS, "log_range": FOCAL_RANGE},
    } | metadata
    strings = {k: v if isinstance(v, str) else json.dumps(v) for k, v in described.items()}
    onnx.helper.set_model_props(model, strings)
    model.producer_name = "anylens"
    for node in model.graph.node:  # source locations of the machine that exported
        node.ClearField("metadata_props")
        node.ClearField("doc_string")
    for value in model.graph.value_info:
        value.ClearField("metadata_props")
    partial = Path(path).with_name(f".{Path(path).name}.partial")
    onnx.save(model, str(partial))
    os.replace(partial, path)


def halve_weights(model: Any) -> None:
    """Store large float32 initialisers as float16, each behind a cast that the runtime folds at loading."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    kept, casts = [], []
    for tensor in model.graph.initializer:
        values = numpy_helper.to_array(tensor) if tensor.data_type == TensorProto.FLOAT else None
        if values is None or values.size < SMALL:
            kept.append(tensor)
            continue
        if np.abs(values).max() > np.finfo(np.float16).max:
            raise WeightsError(f"'{tensor.name}' does not fit float16; export without --half.")
        kept.append(numpy_helper.from_array(values.astype(np.float16), tensor.name + ".half"))
        casts.append(helper.make_node("Cast", [tensor.name + ".half"], [tensor.name], to=TensorProto.FLOAT))
    del model.graph.initializer[:]
    model.graph.initializer.extend(kept)
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend(casts + nodes)


class _quiet:
    """Raise a logger to errors for the length of a block."""

    def __init__(self, name: str):
        self.logger = logging.getLogger(name)

    def __enter__(self) -> None:
        self.level = self.logger.level
        self.logger.setLevel(logging.ERROR)

    def __exit__(self, *_: object) -> None:
        self.logger.setLevel(self.level)

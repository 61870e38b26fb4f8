"""A network of a few operations as an ONNX file: a field of 4° per cell, a focal length that follows the brightness."""

import json

import numpy as np


def write_tiny_network(path):
    """Like an exported network: `image` (B, 3, H, W) in [0, 1] -> field, log_var, focal_logits."""
    from onnx import TensorProto, checker, helper, numpy_helper, save

    def constant(name, values, dtype=np.float32):
        return numpy_helper.from_array(np.asarray(values, dtype=dtype), name)

    centres = -1.6 + 3.6 / 64 * (np.arange(64) + 0.5)
    constants = [
        constant("zero", 0.0), constant("one", 1.0), constant("step", np.radians(4.0)),
        constant("across", 3, np.int64), constant("down", 2, np.int64), constant("bins", centres[None]),
        constant("low", -3.0), constant("steep", -50.0),
    ]  # fmt: skip
    node = helper.make_node
    nodes = [
        node("AveragePool", ["image"], ["cells"], kernel_shape=[14, 14], strides=[14, 14]),
        node("ReduceMean", ["cells"], ["grey"], axes=[1], keepdims=1),
        node("Mul", ["grey", "zero"], ["nil"]),
        node("Add", ["nil", "one"], ["ones"]),
        node("CumSum", ["ones", "across"], ["x"]),
        node("CumSum", ["ones", "down"], ["y"]),
        node("ReduceMean", ["x"], ["mx"], axes=[2, 3], keepdims=1),
        node("ReduceMean", ["y"], ["my"], axes=[2, 3], keepdims=1),
        node("Sub", ["x", "mx"], ["dx"]),
        node("Sub", ["y", "my"], ["dy"]),
        node("Concat", ["dx", "dy"], ["offsets"], axis=1),
        node("Mul", ["offsets", "step"], ["field"]),
        node("Add", ["nil", "low"], ["log_var"]),
        node("ReduceMean", ["grey"], ["bright"], axes=[1, 2, 3], keepdims=0),
        node("Reshape", ["bright", "column"], ["level"]),
        node("Sub", ["bins", "level"], ["off"]),
        node("Mul", ["off", "off"], ["square"]),
        node("Mul", ["square", "steep"], ["focal_logits"]),
    ]
    constants.append(constant("column", [-1, 1], np.int64))
    image = helper.make_tensor_value_info("image", TensorProto.FLOAT, ["b", 3, "h", "w"])
    shapes = {"field": ["b", 2, "p", "q"], "log_var": ["b", 1, "p", "q"], "focal_logits": ["b", 64]}
    outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    graph = helper.make_graph(nodes, "tiny", [image], outputs, constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    for key, value in {"anylens": 1, "name": "tiny", "area": 154 * 154, "patch": 14, "density": 1.0}.items():
        entry = model.metadata_props.add()
        entry.key, entry.value = key, json.dumps(value)
    checker.check_model(model)
    save(model, str(path))

"""Lower layers do not import higher ones, and importing the package stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import anylens

ROOT = Path(anylens.__file__).parent
# Each module may import those to its left (and itself). Modules that are not named are on top.
ORDER = ["errors", "arrays", "field", "profiles", "jacobians", "camera", "fitting", "evidence", "edges"]


def imported(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("anylens."):
            names.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            names |= {a.name.split(".")[1] for a in node.names if a.name.startswith("anylens.")}
    return names


def test_data_flows_one_way():
    allowed_back = {("jacobians", "camera"), ("camera", "fitting")}  # types only; refit on request
    for i, name in enumerate(ORDER):
        path = ROOT / name
        for file in path.rglob("*.py") if path.is_dir() else [path.with_suffix(".py")]:
            for other in imported(file):
                assert other in ORDER[: i + 1] or (name, other) in allowed_back, f"{file} imports {other}"


def test_import_is_light():
    heavy = {"torch", "cv2", "matplotlib", "scipy", "onnxruntime", "PIL", "tyro", "fastapi", "ray"}
    code = f"import sys, anylens; print(sorted({heavy!r} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"

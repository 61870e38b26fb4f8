"""Lower layers do not import higher ones, and importing the package stays light."""

import ast
import subprocess
import sys
from importlib import import_module
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


HEAVY = {"torch", "cv2", "matplotlib", "scipy", "onnxruntime", "PIL", "tyro", "fastapi", "ray"}


def loaded_by(code: str, names: set[str]) -> str:
    code = f"import sys; {code}; print(sorted({names!r} & set(sys.modules)))"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def test_import_is_light():
    assert loaded_by("import anylens", {*HEAVY, "numpy", "array_api_compat"}) == "[]"
    assert loaded_by("import anylens; anylens.Camera, anylens.fit, anylens.models", HEAVY) == "[]"


def test_public_names_are_those_that_type_checkers_see():
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    [block] = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {a.name: n.module for n in block.body if isinstance(n, ast.ImportFrom) for a in n.names}
    assert set(seen) == set(anylens.__all__)
    for name, module in seen.items():
        assert getattr(anylens, name) is getattr(import_module(module), name)
    assert set(anylens.__all__) <= set(dir(anylens))
    assert not hasattr(anylens, "wings")

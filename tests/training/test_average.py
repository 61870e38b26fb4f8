"""The script that averages the weights of two runs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

SCRIPT = Path(__file__).resolve().parents[2] / "scripts/average_weights.py"


def run(*words: object) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, SCRIPT, *map(str, words)], capture_output=True, text=True, check=False)


def test_the_mean_of_two_runs_with_the_notes_of_the_second(tmp_path):
    rng = np.random.default_rng(0)
    a, b, out = (tmp_path / f"{name}.safetensors" for name in ("a", "b", "out"))
    first, second = ({"w": rng.normal(size=(3, 4)).astype(np.float16), "n": np.array([i])} for i in (1, 2))
    save_file(first, a, {"step": "5", "history": json.dumps({"views": 10, "focals": [16.0, 1.0]})})
    save_file(second, b, {"step": "7", "history": json.dumps({"views": 30, "focals": [1.0, 81.0]})})
    done = run(a, b, out, 0.25)
    assert done.returncode == 0, done.stderr
    mean = load_file(out)
    assert mean["w"].dtype == np.float16
    assert np.allclose(mean["w"], 0.75 * first["w"].astype(float) + 0.25 * second["w"].astype(float), atol=1e-3)
    assert mean["n"] == 2  # a counter has no mean
    with safe_open(out, "numpy") as file:
        assert file.metadata()["step"] == "7"
        history = json.loads(file.metadata()["history"])
        assert history["views"] == 30
        assert np.allclose(history["focals"], [8, 3], rtol=2e-3)  # 16^¾ and 81^¼: the mean of the logits' priors
        assert json.loads(file.metadata()["averaged"]) == {"share of the last run": 0.25}


def test_runs_of_different_networks_are_refused(tmp_path):
    a, b = tmp_path / "a.safetensors", tmp_path / "b.safetensors"
    save_file({"w": np.zeros(2)}, a, {})
    save_file({"v": np.zeros(2)}, b, {})
    done = run(a, b, tmp_path / "out.safetensors")
    assert done.returncode != 0
    assert "not of one network" in done.stderr
    assert not (tmp_path / "out.safetensors").exists()

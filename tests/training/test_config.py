"""Settings, presets, schedules and the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from anylens.cli import main
from anylens.training.config import TrainConfig, TrainingError
from anylens.training.presets import PRESETS, preset
from anylens.training.schedule import area_at, next_area_change, rate_factor


def test_presets_hold_the_papers_recipe():
    assert {"paper-op_p", "paper-op_r", "paper-op_d", "paper-op_g", "paper-edited", "laptop"} <= set(PRESETS)
    paper = preset("paper-op_r")
    assert (paper.recipe, paper.encoder, paper.batch, paper.steps) == ("op_r", "vit-l", 24, 90_000)
    assert paper.steps * paper.batch == 40 * 54_000
    rates = [rate_factor(s, paper) for s in (0, 999, 1000, 10_999, 11_000, 30_999, 31_000)]
    assert rates == pytest.approx([1e-3, 1, 1, 1, 0.3, 0.3, 0.09])
    for config in PRESETS.values():
        config.check()
    with pytest.raises(TrainingError, match="paper-op_g"):
        preset("papre")


def test_a_constant_rate_does_not_depend_on_the_length_of_the_run_until_it_cools():
    short, long = TrainConfig(steps=1000), TrainConfig(steps=5000)
    assert all(rate_factor(s, short) == rate_factor(s, long) for s in range(0, 1000, 7))
    cooled = TrainConfig(steps=1000, cooldown=200)
    assert rate_factor(799, cooled) == 1
    tail = [rate_factor(s, cooled) for s in range(800, 1000)]
    assert tail == sorted(tail, reverse=True)
    assert len(set(tail)) == len(tail)
    assert tail[-1] == 0


def test_cosine_ends_at_zero():
    config = TrainConfig(schedule="cosine", steps=1000, warmup=10)
    assert rate_factor(4, config) == 0.5
    assert rate_factor(505, config) == pytest.approx(0.5, abs=1e-6)
    assert rate_factor(999, config) < 1e-5


def test_the_image_grows_where_the_cooldown_begins_or_where_told():
    config = TrainConfig(steps=100, cooldown=30, area=100, late_area=200)
    assert [area_at(s, config) for s in (0, 69, 70, 99)] == [100, 100, 200, 200]
    assert (next_area_change(0, config), next_area_change(70, config)) == (70, 100)
    config = replace(config, late_from=10)
    assert [area_at(s, config) for s in (9, 10)] == [100, 200]
    config = TrainConfig(steps=100, area=100, late_area=200)  # no cooldown: never
    assert area_at(99, config) == 100
    assert next_area_change(5, config) == 100


def test_settings_survive_json():
    config = TrainConfig(taps=(2, 5), aspect_range=(0.6, 1.5), rate=1e-3)
    assert TrainConfig.from_dict(json.loads(json.dumps(config.to_dict()))) == config


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"loss": "l3"}, "rays-cosine"),
        ({"schedule": "linear"}, "cosine"),
        ({"batch": 10, "accumulate": 4}, "does not divide"),
        ({"cooldown": 50_000}, "impossible"),
        ({"quality": 200}, "quality must lie in 0..95"),
        ({"photo_quality": 0}, "or both be 0"),
        ({"photo_side": -1}, "photo_side must be positive"),
        ({"size_range": (1.0, 0.7)}, "the smaller share first"),
        ({"ema": 1.0}, "ema"),
        ({"dropout": 1.0}, "dropout must lie"),
        ({"crops": 1.5}, "crops in"),
        ({"augment": "heavy"}, "light"),
    ],
)
def test_impossible_settings_are_named(change, match):
    with pytest.raises(TrainingError, match=match):
        replace(TrainConfig(), **change).check()


def test_help_works_without_torch():
    """In a process where torch, onnx and onnxruntime cannot be imported."""
    code = (
        "import sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] in ('torch', 'onnx', 'onnxruntime', 'safetensors'):\n"
        "            raise ModuleNotFoundError(f'No module named {name!r}')\n"
        "sys.meta_path.insert(0, Absent())\n"
        "from anylens.cli import main\n"
        "for command in ('train', 'export-onnx'):\n"
        "    try: main([command, '--help'])\n"
        "    except SystemExit as stop: assert stop.code == 0\n"
        "assert main(['train', '--out', 'x', '--data', '.']) == 2\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "--preset" in done.stdout
    assert "pip install" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "nothing to train on"),
        (["--data", "no-such-folder"], "is not a folder"),
        (["--data", ".", "--batch", "0"], "does not divide"),
        (["--branch", "no-such-run"], "is not a run"),
    ],
)
def test_bad_commands_are_refused_without_a_traceback(arguments, message, tmp_path, capsys):
    assert main(["train", "--out", str(tmp_path / "run"), *arguments]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()

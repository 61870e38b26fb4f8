"""The loop: resumed runs equal unbroken ones, and nothing that goes wrong costs the last checkpoint."""

from __future__ import annotations

import errno
import json
import os
import signal
from dataclasses import replace

import pytest
import torch
from standin_views import toy_views

from anylens.errors import WeightsError
from anylens.network.files import read_tensors
from anylens.network.weights import load_network
from anylens.training.config import TrainConfig, TrainingError
from anylens.training.loop import train

TINY = TrainConfig(
    taps=(1, 2), frozen=1, width=32, batch=4, steps=6, warmup=2, cooldown=2, area=28 * 28, late_area=42 * 42,
    log_every=2, validate_every=0, validation_views=0, threads=1, workers=0,
)  # fmt: skip


def tensors(out, name="checkpoint.safetensors"):
    return read_tensors(out / name)[0]


def assert_same(a, b):
    assert a.keys() == b.keys()
    different = [k for k in a if not torch.equal(a[k], b[k])]
    assert not different, different[:5]


def stop_after(steps, then):
    """The stand-in views, with `then()` called once that many batches were handed out."""

    def source(config, split, area, first, rank, processes):
        for number, batch in enumerate(toy_views(config, split, area, first, rank, processes), start=first):
            if number == steps:
                batch = then(batch) or batch
            yield batch

    return source


def killed(_):
    raise KeyboardInterrupt  # as abrupt as a kill: nothing is saved on the way out


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("stop", [3, 5])  # in the stable part, and after size and rate have changed
def test_killed_and_resumed_equals_unbroken_bit_for_bit(tmp_path, stop, dropout):
    config = replace(TINY, dropout=dropout)
    train(config, tmp_path / "whole", source=toy_views)
    every_step = replace(config, checkpoint_minutes=0.0)
    with pytest.raises(KeyboardInterrupt):
        train(every_step, tmp_path / "cut", source=stop_after(stop, killed))
    assert json.loads(read_tensors(tmp_path / "cut/checkpoint.safetensors")[1]["step"]) == stop
    assert train(config, tmp_path / "cut", source=toy_views) == 6
    assert_same(tensors(tmp_path / "whole"), tensors(tmp_path / "cut"))
    assert_same(tensors(tmp_path / "whole", "weights.safetensors"), tensors(tmp_path / "cut", "weights.safetensors"))


def test_sigterm_saves_and_ends_cleanly(tmp_path):
    def terminate(_):
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert train(TINY, tmp_path, source=stop_after(2, terminate)) == 3
    assert signal.getsignal(signal.SIGTERM) == before
    assert train(TINY, tmp_path, source=toy_views) == 6


def test_a_finished_run_is_extended_and_branched(tmp_path):
    stable = replace(TINY, steps=4, cooldown=0)
    train(stable, tmp_path / "a", source=toy_views)
    assert train(replace(stable, steps=6), tmp_path / "a", source=toy_views) == 6
    train(replace(stable, more=3, cooldown=3), tmp_path / "b", branch=tmp_path / "a", source=toy_views)
    record = json.loads((tmp_path / "b/settings.json").read_text())
    assert record["steps"] == 9
    again = replace(stable, more=3, cooldown=3)
    with pytest.raises(KeyboardInterrupt):
        train(
            replace(again, checkpoint_minutes=0.0), tmp_path / "c", branch=tmp_path / "a", source=stop_after(7, killed)
        )
    assert train(again, tmp_path / "c", branch=tmp_path / "a", source=toy_views) == 9
    assert_same(tensors(tmp_path / "b"), tensors(tmp_path / "c"))
    rows = [json.loads(line) for line in (tmp_path / "b/metrics.jsonl").read_text().splitlines()]
    assert rows[-1]["rate"] == 0
    assert rows[-1]["views"] == 36
    _, metadata = load_network(tmp_path / "b/weights.safetensors")
    assert metadata["step"] == 9


def test_views_behind_the_initial_weights_count_on(tmp_path):
    train(replace(TINY, steps=3, cooldown=0), tmp_path / "first", source=toy_views)
    more = replace(TINY, steps=2, cooldown=0, init=str(tmp_path / "first/weights.safetensors"))
    train(more, tmp_path / "second", source=toy_views)
    _, metadata = load_network(tmp_path / "second/weights.safetensors")
    assert metadata["step"] == 2
    assert metadata["history"]["views"] == (3 + 2) * TINY.batch


def test_a_run_from_earlier_weights_draws_views_that_they_have_not_seen(tmp_path):
    train(replace(TINY, steps=3, cooldown=0), tmp_path / "first", source=toy_views)
    more = replace(TINY, steps=4, cooldown=0, init=str(tmp_path / "first/weights.safetensors"), checkpoint_minutes=0.0)
    begun = []

    def source(config, split, area, first, rank, processes):
        begun.append(first)
        return toy_views(config, split, area, first, rank, processes)

    train(replace(more, steps=2), tmp_path / "second", source=source)
    train(more, tmp_path / "second", source=source)
    assert begun == [3, 5]  # and a continued run goes on where it was


def test_resuming_cuts_the_record_at_the_checkpoint(tmp_path):
    train(replace(TINY, steps=4, cooldown=0), tmp_path, source=toy_views)
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"kind": "train", "step": 5}\n{"kind": "tra')
    train(TINY, tmp_path, source=toy_views)
    steps = [json.loads(line)["step"] for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    assert steps == [2, 4, 6]


@pytest.mark.parametrize("poison", ["image", "field"])
def test_a_nan_stops_the_run_and_keeps_the_last_good_checkpoint(tmp_path, poison):
    def spoil(batch):
        if poison == "field":
            return {**batch, "field": batch["field"] * float("nan")}
        return {**batch, "image": batch["image"].float() * float("nan")}

    config = replace(TINY, checkpoint_minutes=0.0)
    with pytest.raises(TrainingError, match="not finite at step 3"):
        train(config, tmp_path, source=stop_after(3, spoil))
    kept, metadata = read_tensors(tmp_path / "checkpoint.safetensors")
    assert metadata["step"] == "3"
    assert all(t.isfinite().all() for t in kept.values() if t.is_floating_point())


def test_a_full_disk_keeps_the_previous_checkpoint(tmp_path, monkeypatch):
    import safetensors.torch

    config = replace(TINY, checkpoint_minutes=0.0)
    train(replace(config, steps=3, cooldown=0), tmp_path, source=toy_views)
    good = tensors(tmp_path)

    def full(values, path, metadata):
        with open(path, "wb") as file:
            file.write(b"half of it")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(safetensors.torch, "save_file", full)
    with pytest.raises(WeightsError, match="No space left"):
        train(config, tmp_path, source=toy_views)
    assert_same(good, tensors(tmp_path))
    assert not list(tmp_path.glob(".*partial"))
    monkeypatch.undo()
    assert train(config, tmp_path, source=toy_views) == 6


def test_a_checkpoint_of_another_architecture_is_refused(tmp_path):
    train(replace(TINY, steps=2), tmp_path, source=toy_views)
    with pytest.raises(WeightsError, match="another architecture"):
        train(replace(TINY, width=48), tmp_path, source=toy_views)


def test_validation_reports_calibration_figures_and_draws(tmp_path):
    train(replace(TINY, validation_views=6), tmp_path, source=toy_views)
    rows = [json.loads(line) for line in (tmp_path / "metrics.jsonl").read_text().splitlines()]
    figures = rows[-1]
    assert figures["kind"] == "validation"
    for name in ("rendered_ae", "rendered_hfov", "rendered_vfov", "rendered_hfov_auc5", "photo_hfov_focal",
                 "edited_ae", "rendered_nats", "photo_nats"):  # fmt: skip
        assert figures[name] >= 0
    assert rows[0]["views_per_second"] > 0
    assert 0 <= rows[0]["waiting"] <= 1
    assert (tmp_path / "pictures/0000006.png").stat().st_size > 1000

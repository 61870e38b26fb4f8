"""The training loop, top to bottom."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from anylens.network.build import build_network
from anylens.network.config import FOCAL_BINS
from anylens.network.weights import initialise, save_network
from anylens.training.batches import Source, Waiting, rendered_views, to_device
from anylens.training.checkpoint import (
    find_checkpoint,
    parameter_groups,
    read_checkpoint,
    restore,
    save_checkpoint,
)
from anylens.training.config import TrainConfig, TrainingError
from anylens.training.dropout import set_dropout
from anylens.training.ema import Ema
from anylens.training.losses import total_loss
from anylens.training.population import add_counts, count_focals, own_prior, shares
from anylens.training.precision import autocast
from anylens.training.processes import Processes, join_processes
from anylens.training.record import Record
from anylens.training.schedule import area_at, next_area_change, rate_factor
from anylens.training.stopping import Stopping
from anylens.training.validation import Validation

log = logging.getLogger(__name__)


def train(config: TrainConfig, out: Path, *, branch: Path | None = None, source: Source = rendered_views) -> int:
    """Train until `config.steps`; returns the step reached (less, after SIGTERM).

    Continues `out`'s own checkpoint if there is one, else copies the state of the run `branch`, else starts
    from `config.init`. Leaves in `out`: checkpoint.safetensors (all state), weights.safetensors (averaged,
    float16), metrics.jsonl, settings.json, and one picture per validation.
    """
    group = join_processes()
    try:
        with Stopping() as stopping:
            return _train(config, out, branch, source, group, stopping)
    finally:
        group.close()


def _train(
    config: TrainConfig, out: Path, branch: Path | None, source: Source, group: Processes, stopping: Stopping
) -> int:
    if config.threads:
        torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    context = autocast(config.precision, group.device)
    out.mkdir(parents=True, exist_ok=True)

    # ---- network, optimiser, average: fresh, or as the checkpoint left them
    net = build_network(config.network_config).to(group.device)
    saved = find_checkpoint(out) or (find_checkpoint(branch) if branch else None)
    if branch and saved is None:
        raise TrainingError(f"no checkpoint in '{branch}' to branch from.")
    step = 0
    history: dict[str, Any] = {"views": 0, "seconds": 0.0, "counts": []}
    if saved is None and config.init:
        report = initialise(net, config.init)
        log.info("initial weights: %s", report)
        # What our own weights have seen counts on, but for the focal lengths: this run may show others.
        history |= {name: value for name, value in report.history.items() if name != "focals"}
        history["before"] = history["views"]
    if config.channels_last:
        net = net.to(memory_format=torch.channels_last)  # type: ignore[call-overload]
    set_dropout(net, config.dropout)
    optimiser = torch.optim.AdamW(parameter_groups(net, config), lr=config.rate, betas=(0.9, 0.999))
    ema = Ema(net, config.ema) if config.ema > 0 else None
    metadata: dict = {}
    if saved is not None:
        tensors, metadata = read_checkpoint(saved)
        restore(tensors, metadata, net, optimiser, ema)
        step, history = metadata["step"], {"counts": []} | metadata["history"]
        log.info("continuing '%s' after step %d", saved, step)
        del tensors
    if config.more:  # counted once: a killed run that is started again keeps the end it had set itself
        planned = metadata["settings"]["steps"] if saved and saved.parent == out else 0
        config = replace(config, steps=planned if planned > step else step + config.more, more=0)
    config.check(group.count)
    if group.first:
        (out / "settings.json").write_text(json.dumps(config.to_dict(), indent=2) + "\n")
    record = Record(out, step) if group.first else None
    validation = Validation(config, out, source) if group.first and config.validation_views else None
    forward = group.wrap(net)
    if config.compile:
        forward = torch.compile(forward, dynamic=True)  # type: ignore[assignment]

    def save() -> None:
        if group.first:
            save_checkpoint(out, net, optimiser, ema, config, step, history)
            with ema.applied() if ema else torch.no_grad():
                info = {
                    "step": step,
                    "settings": published(config),
                    "history": {k: v for k, v in history.items() if k != "counts"}
                    | {"focals": own_prior(history["counts"])},
                    "licence": "Apache-2.0",
                }
                save_network(net, out / "weights.safetensors", info)

    # ---- the loop
    passed = history.get("before", 0) // config.batch  # views that the initial weights know are not drawn again
    batches = Waiting(iter(()))
    batches_end = -1
    since_log, since_save = time.perf_counter(), time.perf_counter()
    sums: dict[str, float] = {}
    logged = step
    net.train()
    while step < config.steps:
        if step >= batches_end:  # first step, or the image size changes here
            first = (passed + step) * config.accumulate
            views = source(config, "train", area_at(step, config), first, group.rank, group.count)
            batches = Waiting(iter(views))
            batches_end = next_area_change(step, config)
        for part in optimiser.param_groups:
            part["lr"] = config.rate * part["share"] * rate_factor(step, config)

        population = shares(history["counts"]) if config.one_prior else None
        counts = torch.zeros(3, FOCAL_BINS, dtype=torch.float64)
        for k in range(config.accumulate):
            if config.dropout:  # what is left out depends on the batch alone: the same after a stop, or on more devices
                batch = (step * config.accumulate + k) * group.count + group.rank
                torch.manual_seed(config.seed + 1_000_003 * (1 + batch))
            image, labels = to_device(batches.next(), group.device)
            with group.local_only(forward, k + 1 < config.accumulate), context:
                parts = total_loss(forward(image, labels.get("edited")), labels, config, population)
                (parts["loss"] / config.accumulate).backward()
            counts += count_focals(labels)
            for key, value in parts.items():
                sums[key] = sums.get(key, 0.0) + float(value.detach()) / config.accumulate
        norm = torch.nn.utils.clip_grad_norm_([p for p in net.parameters() if p.requires_grad], config.clip)
        if not torch.isfinite(norm):  # the same in every process, since gradients are averaged
            raise TrainingError(
                f"loss or gradient is not finite at step {step}; the checkpoint in '{out}' is from before. "
                "Lower --rate, or look at the data."
            )
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        if ema:
            ema.update()
        step += 1
        history["views"] += config.batch
        history["counts"] = add_counts(history["counts"], group.sum(counts))

        # ---- the record
        now = time.perf_counter()
        if record and (step % config.log_every == 0 or step == config.steps):
            spent, n = now - since_log, step - logged
            history["seconds"] += spent
            record.write(
                "train", step, **{k: v / n for k, v in sums.items()}, grad_norm=float(norm),
                rate=optimiser.param_groups[-1]["lr"], views=history["views"],
                views_per_second=n * config.batch / spent, waiting=batches.seconds / spent,
            )  # fmt: skip
            sums, logged, since_log, batches.seconds = {}, step, now, 0.0
        last = step == config.steps or group.any(stopping.asked)
        if last or now - since_save > 60 * config.checkpoint_minutes:
            save()
            since_save = time.perf_counter()
        if validation and record and (step == config.steps or _due(step, config.validate_every)):
            with ema.applied() if ema else torch.no_grad():
                record.write("validation", step, **validation.run(net, step))
            net.train()
        since_log += time.perf_counter() - now  # saving and validating is not training
        if last:
            break
    group.wait()
    return step


def published(config: TrainConfig) -> dict:
    """The settings as they go into weights that others will see: folders by their last name only."""
    settings = config.to_dict()
    return settings | {key: Path(settings[key]).name for key in ("data", "photos", "cache", "init")}


def _due(step: int, every: int) -> bool:
    return every > 0 and step % every == 0

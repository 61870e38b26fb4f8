"""The same map on a Ray cluster, by Ray Data. Every node needs the photos under the same paths."""

from __future__ import annotations

import logging
import os
import pickle
from collections.abc import Iterator
from typing import Any

from anylens.batches.inputs import Item
from anylens.batches.worker import Job
from anylens.errors import AnylensError

CHUNK = 8


class RayWorker:
    """An actor with its own network; rows travel as bytes, so that any value passes unchanged."""

    def __init__(self, job: bytes, task: str):
        self.work = getattr(pickle.loads(job).worker(), task)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        answers = [pickle.dumps(self.work(pickle.loads(item))) for item in batch["item"]]
        return {"index": batch["index"], "answer": answers}


def map_on_ray(job: Job, task: str, items: list[Item], processes: int) -> Iterator[Any]:
    """As `map_items`, on the cluster that Ray finds (RAY_ADDRESS), or on one it starts here."""
    try:
        import ray
    except ImportError:
        raise AnylensError("--engine ray needs Ray: pip install 'anylens[ray]'.") from None
    if not items:
        return
    started = not ray.is_initialized()
    if started:
        os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # rows and failures are what a user wants to read
        ray.init(log_to_driver=False, include_dashboard=False, logging_level=logging.ERROR)
    for name in ("ray.data", "ray.data._internal"):
        logging.getLogger(name).setLevel(logging.ERROR)
    try:
        context = ray.data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.enable_progress_bars = False
        rows = [{"index": i, "item": pickle.dumps(item)} for i, item in enumerate(items)]
        answers = ray.data.from_items(rows).map_batches(
            RayWorker,
            fn_constructor_args=(pickle.dumps(job), task),
            batch_size=CHUNK,
            concurrency=max(1, processes),
            num_cpus=1,
        )
        early: dict[int, Any] = {}
        wanted = 0
        for row in answers.iter_rows():
            early[int(row["index"])] = row["answer"]
            while wanted in early:  # order is kept by the engine; this makes it certain
                yield pickle.loads(early.pop(wanted))
                wanted += 1
    finally:
        if started:
            ray.shutdown()

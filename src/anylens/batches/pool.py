"""Items through several processes, in order, a few at a time; a process that dies takes only its photo with it."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from anylens.batches.inputs import Item
from anylens.batches.rows import failed_row
from anylens.batches.worker import Job, run_chunk, start_process

CHUNK = 4  # photos per message
AHEAD = 3  # chunks in flight for each process
DIED = "the process that worked on it was killed (not enough memory?)."


def map_items(job: Job, task: str, items: list[Item], processes: int) -> Iterator[Any]:
    """`Worker.observe` or `Worker.calibrate` of every item, in the order of items.

    With one process everything runs in this one. Otherwise fresh processes are started, each with its own network on
    one thread. When one is killed, the chunks in flight are repeated photo by photo and the guilty one is named.
    """
    if processes <= 1 or len(items) < 2:
        do = getattr(job.worker(), task)
        yield from (do(item) for item in items)
        return
    waiting = deque(items[i : i + CHUNK] for i in range(0, len(items), CHUNK))
    while waiting:
        pool = _start(job, processes)
        flying: deque[tuple[list[Item], Future]] = deque()
        try:
            while waiting or flying:
                while waiting and len(flying) < AHEAD * processes:
                    chunk = waiting.popleft()
                    flying.append((chunk, pool.submit(run_chunk, task, chunk)))
                chunk, future = flying[0]
                yield from future.result()
                flying.popleft()
        except BrokenProcessPool:
            waiting.extendleft(reversed([chunk for chunk, _ in list(flying)[1:]]))
            for item in flying[0][0] if flying else []:
                yield from _alone(job, task, item)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _start(job: Job, processes: int) -> ProcessPoolExecutor:
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(processes, mp_context=context, initializer=start_process, initargs=(job,))


def _alone(job: Job, task: str, item: Item) -> list[Any]:
    """One item in a process of its own."""
    with _start(job, 1) as pool:
        try:
            return pool.submit(run_chunk, task, [item]).result()
        except BrokenProcessPool:
            return [failed_row(item.file, DIED)]

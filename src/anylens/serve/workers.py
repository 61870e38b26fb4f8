"""The work: threads that share one network, behind a queue of bounded length.

Each photograph runs through the network by itself, on one thread per processor. Joining the photographs of several
requests into one run was measured and left out: on two cores the threads calibrate 8.3 to 9.4 photographs a second,
runs joined from up to four callers 6.8 to 8.4, a plain loop 6.8 to 7.3. And a result never depends on its neighbours.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from anylens.serve.refusal import Refused


class Workers:
    """`run` gives jobs to threads; more than `most` running and waiting jobs are refused."""

    def __init__(self, threads: int, most: int):
        self.threads, self.most, self.pending = threads, most, 0
        self.seconds = 0.5  # of a job, smoothed
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="anylens")
        self._lock = threading.Lock()

    async def run(self, jobs: Sequence[Callable[[], Any]], seconds: float, *, admitted: bool = False) -> list[Any]:
        """Answers of the jobs, in order. Raises Refused (503) where the queue is full or time is over.

        admitted: for the last step of a request that has waited already. A job that has begun when time is over ends
        in its thread and keeps its place in the queue until then.
        """
        with self._lock:
            if not admitted and self.pending and self.pending + len(jobs) > self.most:
                raise Refused(503, "busy: the queue is full. Try again later.", self.wait_seconds())
            self.pending += len(jobs)
        futures = [self._pool.submit(self._timed, job) for job in jobs]
        for future in futures:
            future.add_done_callback(self._left)
        waited = [asyncio.wrap_future(future) for future in futures]
        try:
            done, late = await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
            for error in [one.exception() for one in done]:
                if error is not None:
                    raise error
            if late:
                raise Refused(503, f"no answer within {seconds:g} seconds. Try again.", self.wait_seconds())
            return [one.result() for one in waited]
        finally:
            for future in futures:
                future.cancel()

    def wait_seconds(self) -> int:
        """How long the queue takes, for Retry-After."""
        return min(60, max(1, round(self.pending * self.seconds / self.threads)))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _timed(self, job: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        try:
            return job()
        finally:
            self.seconds += 0.1 * (time.perf_counter() - start - self.seconds)

    def _left(self, future: Future[Any]) -> None:
        with self._lock:
            self.pending -= 1

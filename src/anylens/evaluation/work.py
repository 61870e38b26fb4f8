"""What one process does: every method's estimate of a photo, and the scores of estimates. Nothing may stop the rest."""

from __future__ import annotations

import logging
import multiprocessing
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import Any

from anylens.batches.worker import leave_with_parent
from anylens.errors import AnylensError
from anylens.evaluation.grids import FULL
from anylens.evaluation.methods.product import Configuration, Observer
from anylens.evaluation.metrics import Scorer, Scores
from anylens.evaluation.sample import Estimate, Sample

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Plan:
    """Configurations of anylens and other methods that go photo by photo; threads of the network (0: its choice)."""

    configurations: tuple[Configuration, ...] = ()
    others: tuple[Any, ...] = ()
    threads: int = 0
    predictor: Any = None

    def observer(self) -> Observer:
        return Observer(self.configurations, self.threads, self.predictor)


def estimate_photo(plan: Plan, observer: Observer, sample: Sample) -> dict[str, Estimate]:
    """Every method's estimate by name; whatever goes wrong is a failure of that method."""
    found: dict[str, Estimate] = {}
    try:
        found |= observer.estimate(sample) if plan.configurations else {}
    except Exception as error:
        found |= {c.name: _unexpected(sample, error) for c in plan.configurations}
    for method in plan.others:
        try:
            found[method.name] = next(iter(method.run([sample])))
        except Exception as error:
            found[method.name] = _unexpected(sample, error)
    return found


def score_photo(sample: Sample, estimates: dict[str, Estimate], grid: str | int = FULL) -> dict[str, Scores]:
    """Every method's errors by name."""
    try:
        scorer = Scorer(sample, grid)
    except AnylensError as error:  # the picture of a black border cannot be read
        log.warning("%s: %s", sample.file, error)
        return {}
    return {name: scorer.score(estimate) for name, estimate in estimates.items()}


def in_processes(
    call: Callable[..., Any], items: Iterable[tuple], jobs: int, start: Callable[..., None] | None = None,
    given: Sequence[Any] = (), chunk: int = 1,
) -> Iterator[Any]:  # fmt: skip
    """call(*item) for every item, in order; in this process for one job, else in fresh ones after start(*given).

    Raises AnylensError when one of them is killed; what came before is already handed out.
    """
    items = list(items)
    if jobs <= 1 or len(items) < 2:
        if start is not None:
            start(*given)
        for item in items:
            yield call(*item)
        return
    context, count, done = multiprocessing.get_context("spawn"), min(jobs, len(items)), 0
    with ProcessPoolExecutor(count, mp_context=context, initializer=_begin, initargs=(start, tuple(given))) as pool:
        try:
            for found in pool.map(_spread(call), items, chunksize=chunk):
                yield found
                done += 1
        except BrokenProcessPool:
            raise AnylensError(
                f"One of {count} processes was killed after {done} of {len(items)} (not enough memory?). With --json "
                "FILE, the same command goes on where it stopped; fewer --jobs need less memory."
            ) from None


def _begin(start: Callable[..., None] | None, given: tuple) -> None:
    leave_with_parent()
    if start is not None:
        start(*given)


class _spread:
    """call(*item) as a function of item that travels to other processes."""

    def __init__(self, call: Callable[..., Any]):
        self.call = call

    def __call__(self, item: tuple) -> Any:
        return self.call(*item)


def _unexpected(sample: Sample, error: Exception) -> Estimate:
    log.debug("%s", sample.file, exc_info=True)
    kind = "" if isinstance(error, AnylensError) else f"unexpected {type(error).__name__}: "
    return Estimate.failure(sample.file, f"{kind}{error}")


# -- in processes of a pool ------------------------------------------------------------------------------------

_held: tuple[Plan, Observer] | None = None


def hold(plan: Plan) -> None:
    global _held
    _held = plan, plan.observer()


def held() -> Observer:
    """The observer of this process."""
    assert _held is not None
    return _held[1]


def estimate_held(sample: Sample) -> tuple[str, dict[str, Estimate]]:
    assert _held is not None
    return sample.file, estimate_photo(*_held, sample)

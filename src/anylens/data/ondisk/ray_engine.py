"""The same shards on a Ray cluster. Every node needs the panoramas and the output folder under the same
paths.
"""

from __future__ import annotations

from collections.abc import Iterator

from anylens.errors import AnylensError


def run_on_ray(tasks: list) -> Iterator[int]:
    """Render tasks as Ray tasks of one core each; yields the views of each shard as it is finished."""
    try:
        import ray
    except ImportError:
        raise AnylensError("--engine ray needs Ray: pip install 'anylens[ray]'.") from None
    from anylens.data.ondisk.run import render_task

    started = not ray.is_initialized()
    if started:
        ray.init(log_to_driver=False, include_dashboard=False)
    try:
        remote = ray.remote(num_cpus=1, max_retries=3)(render_task)
        waiting = [remote.remote(task) for task in tasks]
        while waiting:
            ready, waiting = ray.wait(waiting, num_returns=1)
            yield from ray.get(ready)
    finally:
        if started:
            ray.shutdown()

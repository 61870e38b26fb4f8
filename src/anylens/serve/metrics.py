"""Counters in Prometheus' text format."""

from __future__ import annotations

import os
import threading
from collections import defaultdict
from collections.abc import Callable

BOUNDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
HELP = {
    "anylens_requests_total": ("counter", "Requests by path and status."),
    "anylens_photos_total": ("counter", "Photos by outcome."),
    "anylens_network_runs_total": ("counter", "Photos that went through the network."),
    "anylens_stage_seconds_total": ("counter", "Seconds of photos by stage."),
    "anylens_request_seconds": ("histogram", "Time to answer requests under /v1."),
    "anylens_jobs_pending": ("gauge", "Jobs that run or wait."),
    "anylens_observations_kept": ("gauge", "Observations kept for another model."),
    "anylens_upload_bytes_held": ("gauge", "Bytes of requests in memory."),
    "process_resident_memory_bytes": ("gauge", "Resident memory."),
}


class Metrics:
    """`count` adds to a counter with labels, `time` to the histogram; gauges are asked when the text is made."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, tuple[tuple[str, str], ...]], float] = defaultdict(float)
        self._lock = threading.Lock()
        self.gauges: dict[str, Callable[[], float]] = {"process_resident_memory_bytes": resident_bytes}

    def count(self, name: str, by: float = 1, **labels: str) -> None:
        with self._lock:
            self._values[name, tuple(labels.items())] += by

    def time(self, seconds: float) -> None:
        with self._lock:
            for bound in BOUNDS:
                self._values["anylens_request_seconds_bucket", (("le", f"{bound:g}"),)] += seconds <= bound
            self._values["anylens_request_seconds_bucket", (("le", "+Inf"),)] += 1
            self._values["anylens_request_seconds_sum", ()] += seconds
            self._values["anylens_request_seconds_count", ()] += 1

    def text(self) -> str:
        with self._lock:
            rows = dict(self._values) | {(name, ()): gauge() for name, gauge in self.gauges.items()}
        lines = []
        for family, (kind, explanation) in HELP.items():
            own = {key: value for key, value in rows.items() if key[0].startswith(family)}
            if own:
                lines += [f"# HELP {family} {explanation}", f"# TYPE {family} {kind}"]
                lines += [f"{name}{_labels(labels)} {value:.10g}" for (name, labels), value in own.items()]
        return "\n".join(lines) + "\n"


def resident_bytes() -> float:
    """Resident memory of this process; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0.0


def _labels(labels: tuple[tuple[str, str], ...]) -> str:
    return "{" + ",".join(f'{name}="{value}"' for name, value in labels) + "}" if labels else ""

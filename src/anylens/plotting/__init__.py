"""Pictures that explain a result; they need matplotlib (anylens[plot])."""

from anylens.plotting.explanation import write_plot
from anylens.plotting.over_time import write_over_time

__all__ = ["write_over_time", "write_plot"]

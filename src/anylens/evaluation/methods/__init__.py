"""Methods to compare. A method has a `name` and `run(samples) -> iterator of Estimate`, in the order of the samples.

`whole` marks a method that must see a whole group at once (the best constant); the others go photo by photo.
"""

from anylens.evaluation.methods.naming import METHODS, make_methods

__all__ = ["METHODS", "make_methods"]

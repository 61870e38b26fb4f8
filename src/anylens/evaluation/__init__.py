"""How right a calibration is: metrics, data sets, methods to compare, tables and plots.

>>> from anylens.evaluation.sets import open_set                               # doctest: +SKIP
>>> from anylens.evaluation.run import estimate, score_all                     # doctest: +SKIP
"""

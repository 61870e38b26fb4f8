"""Ablations: what a choice in the fit, in the network's resolution or in training is worth."""

"""Training the networks. `anylens.training.config` and `.presets` import no torch."""

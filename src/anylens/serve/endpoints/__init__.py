"""The service's paths, one file each. A module has `add(app, desk)`."""

"""The networks that turn an image into a FoV field (torch); `anylens.network.config` is torch-free."""

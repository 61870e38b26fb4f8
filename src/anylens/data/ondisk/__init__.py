"""Rendered sets on disk: WebDataset shards with a manifest and a contact sheet, resumable, on one machine or
many.
"""

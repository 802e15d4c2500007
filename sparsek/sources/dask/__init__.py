"""Dask collections as a source of rows."""

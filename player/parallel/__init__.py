"""Parallel work in processes or on a Dask cluster."""

"""The same work in spans: on local processes, Dask, Ray or Spark."""

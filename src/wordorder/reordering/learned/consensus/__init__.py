"""*consensus*: the order on which several models agree best."""

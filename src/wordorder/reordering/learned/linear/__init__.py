"""*linear*: the members of each family ordered by weights of pairs."""

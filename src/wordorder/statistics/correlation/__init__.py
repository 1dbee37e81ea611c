"""How closely two scores agree: correlation coefficients and pairwise accuracy, with intervals."""

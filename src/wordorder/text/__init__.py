"""Lines in and out: encodings, compression, atomic writes."""

"""The machine: what it is made of, and what messages cost on it."""

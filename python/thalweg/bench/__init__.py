"""Benchmarks: each measures Thalweg against a peer and writes rows of one form."""

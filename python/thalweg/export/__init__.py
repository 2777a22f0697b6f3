"""Exports: the MPI libraries' own algorithms, measured, and written in the libraries' own tuning formats."""

"""Exports: the MPI libraries' own algorithms, measured and compared, for programs that run without Thalweg."""

"""MPICH's own tests of collectives, communicators, topologies and threads, from Debian's source package."""

# SPDX-License-Identifier: BSD-3-Clause
"""The MPI functions that take a communicator and that the interposer does not know, as abi/functions.py writes them.

Together with the interposer's own they are all that a program can name MPI_COMM_WORLD to. NAMED_ITSELF has the others.
"""

from __future__ import annotations

ALSO: dict[str, str] = {
    "Attr_delete": "MPI_Comm comm, int keyval",
    "Attr_put": "MPI_Comm comm, int keyval, void* value",
    "Comm_delete_attr": "MPI_Comm comm, int keyval",
    "Comm_get_info": "MPI_Comm comm, MPI_Info* info",
    "Comm_set_info": "MPI_Comm comm, MPI_Info info",
    "Errhandler_get": "MPI_Comm comm, MPI_Errhandler* errhandler",
    "Comm_attach_buffer": "MPI_Comm comm, void* buffer, N size",
    "Comm_detach_buffer": "MPI_Comm comm, void* buffer, N* size",
    "Comm_flush_buffer": "MPI_Comm comm",
    "Comm_iflush_buffer": "MPI_Comm comm, MPI_Request* request",
    "Recv_init": "void* buf, N count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request",
    "Precv_init": "void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, "
    "MPI_Info info, MPI_Request* request",
    "Irecv": "void* buf, N count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request",
    "Pack": "const void* inbuf, N incount, MPI_Datatype datatype, void* outbuf, N outsize, N* position, MPI_Comm comm",
    "Unpack": "const void* inbuf, N insize, N* position, void* outbuf, N outcount, MPI_Datatype datatype, MPI_Comm comm",
    "Pack_size": "N incount, MPI_Datatype datatype, MPI_Comm comm, N* size",
    "Win_allocate": "MPI_Aint size, D unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win",
    "Win_allocate_shared": "MPI_Aint size, D unit, MPI_Info info, MPI_Comm comm, void* base, MPI_Win* win",
    "Win_create": "void* base, MPI_Aint size, D unit, MPI_Info info, MPI_Comm comm, MPI_Win* win",
    "Win_create_dynamic": "MPI_Info info, MPI_Comm comm, MPI_Win* win",
    "File_open": "MPI_Comm comm, const char* name, int mode, MPI_Info info, MPI_File* file",
    "Comm_accept": "const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm",
    "Comm_connect": "const char* port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm",
    "Comm_spawn": "const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, "
    "MPI_Comm* newcomm, int codes[]",
    "Comm_spawn_multiple": "int count, char* commands[], char** argvs[], const int maxprocs[], const MPI_Info infos[], "
    "int root, MPI_Comm comm, MPI_Comm* newcomm, int codes[]",
    "Cart_coords": "MPI_Comm comm, int rank, int maxdims, int coords[]",
    "Cart_map": "MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank",
    "Cart_rank": "MPI_Comm comm, const int coords[], int* rank",
    "Graph_get": "MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]",
    "Graph_map": "MPI_Comm comm, int nnodes, const int index[], const int edges[], int* newrank",
    "Graphdims_get": "MPI_Comm comm, int* nnodes, int* nedges",
}

LARGE_COUNT: frozenset[str] = frozenset(
    [
        "Comm_attach_buffer",
        "Comm_detach_buffer",
        "Irecv",
        "Pack",
        "Pack_size",
        "Recv_init",
        "Unpack",
        "Win_allocate",
        "Win_allocate_shared",
        "Win_create",
    ]
)

# Attributes that are the library's are MPI_COMM_WORLD's own.
ATTRIBUTES: dict[str, str] = {
    "Attr_get": "MPI_Comm comm, int keyval, void* value, int* flag",
    "Comm_get_attr": "MPI_Comm comm, int keyval, void* value, int* flag",
}

# Errors that belong to no communicator are MPI_COMM_WORLD's, so both get the handler.
ERROR_HANDLERS: dict[str, str] = {
    "Comm_set_errhandler": "MPI_Comm comm, MPI_Errhandler errhandler",
    "Errhandler_set": "MPI_Comm comm, MPI_Errhandler errhandler",
}

# These mean MPI_COMM_WORLD itself: to abort is to end all of it, and a handle's number is its own.
NAMED_ITSELF: frozenset[str] = frozenset(["Abort", "Comm_c2f", "Comm_toint"])

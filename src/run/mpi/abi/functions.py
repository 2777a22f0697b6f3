# SPDX-License-Identifier: BSD-3-Clause
"""The MPI functions that the interposer knows, as data.

A prototype is written once, for the `int` form. `N` stands for a count (`int`, or `MPI_Count` in the `_c` form), `D`
for a displacement (`int`, or `MPI_Aint` in the `_c` form). Collectives also have a nonblocking form (`MPI_I…`, one more
argument `MPI_Request* request`) and a persistent one (`MPI_…_init`, two more: `MPI_Info info, MPI_Request* request`).
"""

from __future__ import annotations

# Blocking form of every collective. Names of arguments decide the field of CollectiveCall that they fill.
COLLECTIVES: dict[str, str] = {
    "Barrier": "MPI_Comm comm",
    "Bcast": "void* buffer, N count, MPI_Datatype datatype, int root, MPI_Comm comm",
    "Gather": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, int root, MPI_Comm comm",
    "Gatherv": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, const N recvcounts[], "
    "const D displs[], MPI_Datatype recvtype, int root, MPI_Comm comm",
    "Scatter": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, int root, MPI_Comm comm",
    "Scatterv": "const void* sendbuf, const N sendcounts[], const D displs[], MPI_Datatype sendtype, void* recvbuf, "
    "N recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm",
    "Allgather": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, MPI_Comm comm",
    "Allgatherv": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, const N recvcounts[], "
    "const D displs[], MPI_Datatype recvtype, MPI_Comm comm",
    "Alltoall": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, MPI_Comm comm",
    "Alltoallv": "const void* sendbuf, const N sendcounts[], const D sdispls[], MPI_Datatype sendtype, void* recvbuf, "
    "const N recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm",
    "Alltoallw": "const void* sendbuf, const N sendcounts[], const D sdispls[], const MPI_Datatype sendtypes[], "
    "void* recvbuf, const N recvcounts[], const D rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm",
    "Reduce": "const void* sendbuf, void* recvbuf, N count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm",
    "Allreduce": "const void* sendbuf, void* recvbuf, N count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
    "Reduce_scatter": "const void* sendbuf, void* recvbuf, const N recvcounts[], MPI_Datatype datatype, MPI_Op op, "
    "MPI_Comm comm",
    "Reduce_scatter_block": "const void* sendbuf, void* recvbuf, N recvcount, MPI_Datatype datatype, MPI_Op op, "
    "MPI_Comm comm",
    "Scan": "const void* sendbuf, void* recvbuf, N count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
    "Exscan": "const void* sendbuf, void* recvbuf, N count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm",
    "Neighbor_allgather": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, MPI_Comm comm",
    "Neighbor_allgatherv": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, "
    "const N recvcounts[], const D displs[], MPI_Datatype recvtype, MPI_Comm comm",
    "Neighbor_alltoall": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, void* recvbuf, N recvcount, "
    "MPI_Datatype recvtype, MPI_Comm comm",
    "Neighbor_alltoallv": "const void* sendbuf, const N sendcounts[], const D sdispls[], MPI_Datatype sendtype, "
    "void* recvbuf, const N recvcounts[], const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm",
    "Neighbor_alltoallw": "const void* sendbuf, const N sendcounts[], const MPI_Aint sdispls[], "
    "const MPI_Datatype sendtypes[], void* recvbuf, const N recvcounts[], const MPI_Aint rdispls[], "
    "const MPI_Datatype recvtypes[], MPI_Comm comm",
}

# Collectives whose known calls are made at once.
FAST_PATH: tuple[str, ...] = (
    "Barrier",
    "Bcast",
    "Gather",
    "Gatherv",
    "Scatter",
    "Scatterv",
    "Allgather",
    "Allgatherv",
    "Alltoall",
    "Alltoallv",
    "Reduce",
    "Allreduce",
    "Reduce_scatter",
    "Reduce_scatter_block",
    "Scan",
    "Exscan",
)

# Argument name -> field of CollectiveCall, where it is not the argument's own name.
COLLECTIVE_FIELDS: dict[str, tuple[str, ...]] = {
    "buffer": ("sendbuf", "recvbuf"),
    "count": ("sendcount", "recvcount"),
    "datatype": ("sendtype", "recvtype"),
    "sdispls": ("senddispls",),
    "rdispls": ("recvdispls",),
}

# Blocking point-to-point calls. Where they must not block in the library, sends are made by a nonblocking call and a
# wait, and receives when there is a message.
ISSUED: dict[str, str] = {
    "Send": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm",
    "Ssend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm",
    "Rsend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm",
    "Recv": "void* buf, N count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status",
    "Mrecv": "void* buf, N count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status",
}

# Calls that are counted and timed for the report, and left to the library.
COUNTED: dict[str, str] = {
    "Isend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request",
    "Issend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request",
    "Irsend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request",
    "Ibsend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request",
    "Isendrecv": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, "
    "N recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request",
    "Isendrecv_replace": "void* buf, N count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, "
    "MPI_Comm comm, MPI_Request* request",
}

# Receives that begin, of which nothing is noted but where calls are traced; Imrecv names a message that was found.
RECEIVES: dict[str, str] = {
    "Irecv": "void* buf, N count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request",
    "Imrecv": "void* buf, N count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request",
    "Recv_init": "void* buf, N count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request",
}
PARTITIONED_RECEIVES: dict[str, str] = {
    "Precv_init": "void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, "
    "MPI_Comm comm, MPI_Info info, MPI_Request* request",
}

# Persistent sends, whose messages are recorded when they are started.
PERSISTENT_SENDS: dict[str, str] = dict.fromkeys(
    ("Send_init", "Bsend_init", "Ssend_init", "Rsend_init"),
    "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request",
)

# The same of those whose buffers are cut into partitions; they count as one message.
PARTITIONED_SENDS: dict[str, str] = {
    "Psend_init": "const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, "
    "MPI_Comm comm, MPI_Info info, MPI_Request* request",
}

_ORIGIN = "N origin_count, MPI_Datatype origin_type"
_RESULT = "void* result, N result_count, MPI_Datatype result_type"
_TARGET = "int target_rank, MPI_Aint target_disp, N target_count, MPI_Datatype target_type"

# One-sided calls: name -> (prototype, bytes that it writes to the target's memory, bytes that it reads there).
ONE_SIDED: dict[str, tuple[str, str, str]] = {
    "Put": (f"const void* origin, {_ORIGIN}, {_TARGET}, MPI_Win win", "bytes_of(origin_count, origin_type)", "0"),
    "Get": (f"void* origin, {_ORIGIN}, {_TARGET}, MPI_Win win", "0", "bytes_of(origin_count, origin_type)"),
    "Accumulate": (
        f"const void* origin, {_ORIGIN}, {_TARGET}, MPI_Op op, MPI_Win win",
        "bytes_of(origin_count, origin_type)",
        "0",
    ),
    "Get_accumulate": (
        f"const void* origin, {_ORIGIN}, {_RESULT}, {_TARGET}, MPI_Op op, MPI_Win win",
        "op == MPI_NO_OP ? 0 : bytes_of(origin_count, origin_type)",
        "bytes_of(result_count, result_type)",
    ),
    "Fetch_and_op": (
        "const void* origin, void* result, MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Op op, "
        "MPI_Win win",
        "op == MPI_NO_OP ? 0 : bytes_of(1, datatype)",
        "bytes_of(1, datatype)",
    ),
    "Compare_and_swap": (
        "const void* origin, const void* compare, void* result, MPI_Datatype datatype, int target_rank, "
        "MPI_Aint target_disp, MPI_Win win",
        "2 * bytes_of(1, datatype)",
        "bytes_of(1, datatype)",
    ),
}
ONE_SIDED |= {
    "R" + name[0].lower() + name[1:]: (f"{ONE_SIDED[name][0]}, MPI_Request* request", *ONE_SIDED[name][1:])
    for name in ("Put", "Get", "Accumulate", "Get_accumulate")
}

# Windows, of which something is noted only where calls are traced: name -> (prototype, its fields of a WindowCall). Those that
# name a communicator make a window.
WINDOWS: dict[str, tuple[str, str]] = {
    name: (f"{memory}MPI_Info info, MPI_Comm comm, {result}MPI_Win* win", "created, *win")
    for name, memory, result in (
        ("Win_create", "void* base, MPI_Aint size, D disp_unit, ", ""),
        ("Win_allocate", "MPI_Aint size, D disp_unit, ", "void* base, "),
        ("Win_allocate_shared", "MPI_Aint size, D disp_unit, ", "void* base, "),
        ("Win_create_dynamic", "", ""),
    )
} | {
    "Win_fence": ("int assertion, MPI_Win win", "fence, win"),
    "Win_lock": ("int lock_type, int rank, int assertion, MPI_Win win", "lock, win, rank"),
    "Win_unlock": ("int rank, MPI_Win win", "flush, win, rank"),
    "Win_unlock_all": ("MPI_Win win", "flush_all, win"),
    "Win_flush": ("int rank, MPI_Win win", "flush, win, rank"),
    "Win_flush_all": ("MPI_Win win", "flush_all, win"),
    "Win_flush_local": ("int rank, MPI_Win win", "flush, win, rank"),
    "Win_flush_local_all": ("MPI_Win win", "flush_all, win"),
    "Win_post": ("MPI_Group group, int assertion, MPI_Win win", "post, win, MPI_PROC_NULL, group"),
    "Win_start": ("MPI_Group group, int assertion, MPI_Win win", "start, win, MPI_PROC_NULL, group"),
    "Win_complete": ("MPI_Win win", "complete, win"),
    "Win_wait": ("MPI_Win win", "exposed, win"),
    "Win_test": ("MPI_Win win, int* flag", "exposed, win"),
}

# Calls with a handler of their own in src/run/mpi (`handle_<name>`, taking the call site first).
HANDLED: dict[str, str] = {
    "Bsend": "const void* buf, N count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm",
    "Sendrecv": "const void* sendbuf, N sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, "
    "N recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status",
    "Sendrecv_replace": "void* buf, N count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, "
    "MPI_Comm comm, MPI_Status* status",
    "Probe": "int source, int tag, MPI_Comm comm, MPI_Status* status",
    "Mprobe": "int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status",
    "Iprobe": "int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status",
    "Improbe": "int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status",
    "Wait": "MPI_Request* request, MPI_Status* status",
    "Waitall": "int count, MPI_Request requests[], MPI_Status statuses[]",
    "Waitany": "int count, MPI_Request requests[], int* index, MPI_Status* status",
    "Waitsome": "int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]",
    "Test": "MPI_Request* request, int* flag, MPI_Status* status",
    "Testall": "int count, MPI_Request requests[], int* flag, MPI_Status statuses[]",
    "Testany": "int count, MPI_Request requests[], int* index, int* flag, MPI_Status* status",
    "Testsome": "int incount, MPI_Request requests[], int* outcount, int indices[], MPI_Status statuses[]",
    "Request_free": "MPI_Request* request",
    "Request_get_status": "MPI_Request request, int* flag, MPI_Status* status",
    "Grequest_start": "MPI_Grequest_query_function* query, MPI_Grequest_free_function* release, "
    "MPI_Grequest_cancel_function* cancel, void* extra_state, MPI_Request* request",
    "Grequest_complete": "MPI_Request request",
    "Start": "MPI_Request* request",
    "Startall": "int count, MPI_Request requests[]",
    "Cancel": "MPI_Request* request",
    "Init": "int* argc, char*** argv",
    "Init_thread": "int* argc, char*** argv, int required, int* provided",
    "Finalize": "void",
    "Win_free": "MPI_Win* win",
    "File_open": "MPI_Comm comm, const char* filename, int amode, MPI_Info info, MPI_File* file",
    "Op_free": "MPI_Op* op",
    "Session_init": "MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session",
    "Session_finalize": "MPI_Session* session",
    "Comm_idup": "MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request",
    "Comm_idup_with_info": "MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request",
}

# Those of them that may go to the library at once, where they are counted at the most.
OF_MESSAGES: tuple[str, ...] = (
    *("Bsend", "Sendrecv", "Sendrecv_replace"),
    *("Probe", "Mprobe", "Iprobe", "Improbe"),
)
# The same, if none of the program's requests is treated on its own.
OF_REQUESTS: tuple[str, ...] = (
    *("Wait", "Waitall", "Waitany", "Waitsome"),
    *("Test", "Testall", "Testany", "Testsome", "Request_get_status"),
    *("Start", "Startall"),
)

# Calls that make a communicator and return with it made. `parent` names the communicator that all callers share.
CONSTRUCTORS: dict[str, tuple[str, str]] = {
    "Comm_dup": ("MPI_Comm comm, MPI_Comm* newcomm", "comm"),
    "Comm_dup_with_info": ("MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm", "comm"),
    "Comm_split": ("MPI_Comm comm, int color, int key, MPI_Comm* newcomm", "comm"),
    "Comm_split_type": ("MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm", "comm"),
    "Comm_create": ("MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm", "comm"),
    "Comm_create_group": ("MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm", "comm"),
    "Comm_create_from_group": (
        "MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm",
        "",
    ),
    "Cart_create": (
        "MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* newcomm",
        "comm",
    ),
    "Graph_create": (
        "MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* newcomm",
        "comm",
    ),
    "Dist_graph_create": (
        "MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], "
        "const int weights[], MPI_Info info, int reorder, MPI_Comm* newcomm",
        "comm",
    ),
    "Dist_graph_create_adjacent": (
        "MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree, "
        "const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* newcomm",
        "comm",
    ),
    "Cart_sub": ("MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm", "comm"),
    "Intercomm_create": (
        "MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newcomm",
        "local_comm",
    ),
    "Intercomm_create_from_groups": (
        "MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char* stringtag, "
        "MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm",
        "",
    ),
    "Intercomm_merge": ("MPI_Comm intercomm, int high, MPI_Comm* newcomm", "intercomm"),
}

# Calls that the interposer's own code makes and never wraps; each becomes a hidden PMPI_ function that forwards to
# the library, so that this code can be written with plain PMPI_ calls and needs no library to link with.
USED: dict[str, str] = {
    "Initialized": "int* flag",
    "Finalized": "int* flag",
    "Query_thread": "int* provided",
    "Is_thread_main": "int* flag",
    "Abort": "MPI_Comm comm, int errorcode",
    "Comm_size": "MPI_Comm comm, int* size",
    "Comm_rank": "MPI_Comm comm, int* rank",
    "Comm_remote_size": "MPI_Comm comm, int* size",
    "Comm_test_inter": "MPI_Comm comm, int* flag",
    "Comm_group": "MPI_Comm comm, MPI_Group* group",
    "Comm_remote_group": "MPI_Comm comm, MPI_Group* group",
    "Comm_free": "MPI_Comm* comm",
    "Comm_compare": "MPI_Comm comm1, MPI_Comm comm2, int* result",
    "Comm_set_errhandler": "MPI_Comm comm, MPI_Errhandler errhandler",
    "Comm_get_errhandler": "MPI_Comm comm, MPI_Errhandler* errhandler",
    "Errhandler_free": "MPI_Errhandler* errhandler",
    "Comm_call_errhandler": "MPI_Comm comm, int errorcode",
    "Comm_create_keyval": "MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove, int* keyval, "
    "void* extra_state",
    "Comm_free_keyval": "int* keyval",
    "Comm_set_attr": "MPI_Comm comm, int keyval, void* value",
    "Comm_get_attr": "MPI_Comm comm, int keyval, void* value, int* flag",
    "Comm_set_name": "MPI_Comm comm, const char* name",
    "Comm_get_name": "MPI_Comm comm, char* name, int* length",
    "Comm_get_parent": "MPI_Comm* parent",
    "Topo_test": "MPI_Comm comm, int* status",
    "Cartdim_get": "MPI_Comm comm, int* ndims",
    "Cart_get": "MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]",
    "Cart_shift": "MPI_Comm comm, int direction, int displacement, int* source, int* destination",
    "Graph_neighbors_count": "MPI_Comm comm, int rank, int* count",
    "Graph_neighbors": "MPI_Comm comm, int rank, int maximum, int neighbors[]",
    "Dist_graph_neighbors_count": "MPI_Comm comm, int* indegree, int* outdegree, int* weighted",
    "Dist_graph_neighbors": "MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, "
    "int destinations[], int destweights[]",
    "Win_get_group": "MPI_Win win, MPI_Group* group",
    "Group_size": "MPI_Group group, int* size",
    "Group_rank": "MPI_Group group, int* rank",
    "Group_incl": "MPI_Group group, int n, const int ranks[], MPI_Group* newgroup",
    "Group_free": "MPI_Group* group",
    "Group_translate_ranks": "MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[]",
    "Isend_c": "const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, "
    "MPI_Request* request",
    "Issend_c": "const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, "
    "MPI_Request* request",
    "Irsend_c": "const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, "
    "MPI_Request* request",
    "Irecv_c": "void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, "
    "MPI_Request* request",
    "Imrecv_c": "void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request",
    "Get_count": "const MPI_Status* status, MPI_Datatype datatype, int* count",
    "Test_cancelled": "const MPI_Status* status, int* flag",
    "Status_set_cancelled": "MPI_Status* status, int flag",
    "Status_set_elements": "MPI_Status* status, MPI_Datatype datatype, int count",
    "Type_size": "MPI_Datatype datatype, int* size",
    "Type_size_x": "MPI_Datatype datatype, MPI_Count* size",
    "Type_get_extent": "MPI_Datatype datatype, MPI_Aint* lower, MPI_Aint* extent",
    "Type_get_extent_x": "MPI_Datatype datatype, MPI_Count* lower, MPI_Count* extent",
    "Type_get_true_extent": "MPI_Datatype datatype, MPI_Aint* lower, MPI_Aint* extent",
    "Type_get_true_extent_x": "MPI_Datatype datatype, MPI_Count* lower, MPI_Count* extent",
    "Type_get_envelope": "MPI_Datatype datatype, int* integers, int* addresses, int* datatypes, int* combiner",
    "Type_contiguous": "int count, MPI_Datatype oldtype, MPI_Datatype* newtype",
    "Type_vector": "int count, int length, int stride, MPI_Datatype oldtype, MPI_Datatype* newtype",
    "Type_create_hvector": "int count, int length, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype* newtype",
    "Type_indexed": "int count, const int lengths[], const int displs[], MPI_Datatype oldtype, MPI_Datatype* newtype",
    "Type_create_hindexed": "int count, const int lengths[], const MPI_Aint displs[], MPI_Datatype oldtype, "
    "MPI_Datatype* newtype",
    "Type_create_struct": "int count, const int lengths[], const MPI_Aint displs[], const MPI_Datatype types[], "
    "MPI_Datatype* newtype",
    "Type_create_resized": "MPI_Datatype oldtype, MPI_Aint lower, MPI_Aint extent, MPI_Datatype* newtype",
    "Type_dup": "MPI_Datatype oldtype, MPI_Datatype* newtype",
    "Type_commit": "MPI_Datatype* datatype",
    "Type_free": "MPI_Datatype* datatype",
    "Pack": "const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, "
    "MPI_Comm comm",
    "Unpack": "const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, "
    "MPI_Comm comm",
    "Pack_size": "int incount, MPI_Datatype datatype, MPI_Comm comm, int* size",
    "Pack_c": "const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize, "
    "MPI_Count* position, MPI_Comm comm",
    "Unpack_c": "const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount, "
    "MPI_Datatype datatype, MPI_Comm comm",
    "Pack_size_c": "MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count* size",
    "Reduce_local": "const void* inbuf, void* inoutbuf, int count, MPI_Datatype datatype, MPI_Op op",
    "Reduce_local_c": "const void* inbuf, void* inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op",
    "Op_commutative": "MPI_Op op, int* commute",
    "Error_class": "int errorcode, int* errorclass",
    "Error_string": "int errorcode, char* string, int* length",
    "Get_library_version": "char* version, int* length",
    "Get_version": "int* version, int* subversion",
    "Get_processor_name": "char* name, int* length",
}

# Functions of HANDLED, ISSUED, COUNTED, RECEIVES and PERSISTENT_SENDS that have a `_c` counterpart. All collectives
# but Barrier have one, too.
LARGE_COUNT: frozenset[str] = frozenset(
    [
        *("Send", "Ssend", "Rsend", "Recv", "Mrecv", "Bsend", "Sendrecv", "Sendrecv_replace"),
        *(*COUNTED, *RECEIVES, *PERSISTENT_SENDS),
        *(name for name in ONE_SIDED if name not in {"Fetch_and_op", "Compare_and_swap"}),
        *("Win_create", "Win_allocate", "Win_allocate_shared"),
    ]
)

// SPDX-License-Identifier: BSD-3-Clause

// Callbacks of attributes and of requests that leave MPI's calls by exceptions and by jumps (`throw`,
// `jump`), and that call MPI: the program goes on. callbacks throw | jump CASE...

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <mpi.h>
#include <string>

namespace {

int rank = 0;
int size = 0;
int wrong = 0;
int calls = 0;
bool leaves = false; // the next callback does
bool refuses = false;
bool jumps = false;
std::jmp_buf back;

void leave() {
  ++calls;
  int one = 1;
  int sum = 0;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  wrong += sum != 1;
  if (!leaves)
    return;
  leaves = false;
  if (jumps)
    std::longjmp(back, 1);
  throw 8;
}

int copy_comm(MPI_Comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  leave();
  return MPI_SUCCESS;
}
int delete_comm(MPI_Comm, int, void*, void*) {
  leave();
  return refuses ? MPI_ERR_OTHER : MPI_SUCCESS;
}
int copy_type(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  leave();
  return MPI_SUCCESS;
}
int delete_type(MPI_Datatype, int, void*, void*) {
  leave();
  return MPI_SUCCESS;
}
int delete_window(MPI_Win, int, void*, void*) {
  leave();
  return MPI_SUCCESS;
}
int query(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  leave();
  return MPI_SUCCESS;
}
int no_query(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return MPI_SUCCESS;
}
int release(void*) {
  leave();
  return MPI_SUCCESS;
}
int no_release(void*) {
  return MPI_SUCCESS;
}
int cancel(void*, int) {
  leave();
  return MPI_SUCCESS;
}
int no_cancel(void*, int) {
  return MPI_SUCCESS;
}

void go_on(MPI_Comm comm = MPI_COMM_WORLD) {
  for (int call = 0; call < 30; ++call) {
    int sum = 0;
    int from = -1;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 5, &from, 1, MPI_INT, (rank + size - 1) % size, 5,
                 comm, MPI_STATUS_IGNORE);
    wrong += sum != size * (size - 1) / 2 || from != (rank + size - 1) % size;
  }
}

// All ranks leave the call, or rank 0 alone.
template <typename Call>
void left(const std::string& what, bool all, Call call) {
  const int before = calls;
  volatile bool is_left = false;
  leaves = all || rank == 0;
  const bool wanted = leaves;
  if (setjmp(back) != 0) {
    is_left = true;
  } else {
    try {
      call();
    } catch (int) {
      is_left = true;
    }
  }
  leaves = false;
  if (is_left != wanted || calls == before) {
    std::printf("rank %d: %s was %sleft, %d callbacks\n", rank, what.c_str(), is_left ? "" : "not ",
                calls - before);
    ++wrong;
  }
  go_on();
}

MPI_Request begun(MPI_Grequest_query_function* asked, MPI_Grequest_free_function* freed,
                  MPI_Grequest_cancel_function* canceled) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Grequest_start(asked, freed, canceled, nullptr, &request);
  return request;
}

void on_communicators(const std::string& what) {
  int key = 0;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Comm_create_keyval(copy_comm, delete_comm, &key, nullptr);
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  go_on();
  MPI_Comm_set_attr(parent, key, nullptr);
  if (what == "comm-dup")
    left(what, true, [&] { MPI_Comm_dup(parent, &made); });
  else if (what == "comm-free")
    left(what, true, [&] { MPI_Comm_free(&parent); });
  else if (what == "comm-delete")
    left(what, false, [&] { MPI_Comm_delete_attr(parent, key); });
  else
    left(what, false, [&] { MPI_Comm_set_attr(parent, key, &made); });
}

// A callback that fails keeps the communicator in use.
void on_refusal() {
  int key = 0;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete_comm, &key, nullptr);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_attr(comm, key, nullptr);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  go_on(comm);
  refuses = true;
  wrong += MPI_Comm_free(&comm) == MPI_SUCCESS;
  refuses = false;
  go_on(comm);
  wrong += MPI_Comm_free(&comm) != MPI_SUCCESS;
}

void on_types(const std::string& what) {
  int key = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Datatype made = MPI_DATATYPE_NULL;
  MPI_Type_create_keyval(copy_type, delete_type, &key, nullptr);
  MPI_Type_contiguous(3, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Type_set_attr(type, key, nullptr);
  int three[6] = {};
  int sums[6] = {};
  MPI_Bcast(three, 1, type, 0, MPI_COMM_WORLD);
  MPI_Allgather(three, 1, type, sums, 1, type, MPI_COMM_SELF);
  if (what == "type-dup")
    left(what, false, [&] { MPI_Type_dup(type, &made); });
  else
    left(what, false, [&] { MPI_Type_free(&type); });
}

void on_windows(const std::string& what) {
  int key = 0;
  int memory = 0;
  MPI_Win window = MPI_WIN_NULL;
  MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_window, &key, nullptr);
  MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_set_attr(window, key, nullptr);
  left(what, true, [&] { MPI_Win_free(&window); });
}

void on_requests(const std::string& what) {
  MPI_Request request = begun(what.find("query") != what.npos ? query : no_query,
                              what.find("release") != what.npos ? release : no_release,
                              what.find("cancel") != what.npos ? cancel : no_cancel);
  MPI_Status status;
  int flag = 0;
  int index = 0;
  if (what == "cancel-request")
    left(what, false, [&] { MPI_Cancel(&request); });
  MPI_Grequest_complete(request);
  if (what == "query-wait" || what == "release-wait")
    left(what, false, [&] { MPI_Wait(&request, &status); });
  else if (what == "query-test" || what == "release-test")
    left(what, false, [&] { MPI_Test(&request, &flag, &status); });
  else if (what == "query-waitall")
    left(what, false, [&] { MPI_Waitall(1, &request, &status); });
  else if (what == "query-waitany")
    left(what, false, [&] { MPI_Waitany(1, &request, &index, &status); });
  else if (what == "query-get")
    left(what, false, [&] { MPI_Request_get_status(request, &flag, &status); });
  else if (what == "release-free")
    left(what, false, [&] { MPI_Request_free(&request); });
}

void on_completion(const std::string& what) {
  MPI_Request request = begun(no_query, release, no_cancel);
  const MPI_Request same = request;
  MPI_Request_free(&request);
  left(what, false, [&] { MPI_Grequest_complete(same); });
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  jumps = std::strcmp(argv[1], "jump") == 0;
  for (int argument = 2; argument < argc; ++argument) {
    const std::string what = argv[argument];
    if (what == "refused")
      on_refusal();
    else if (what.rfind("comm", 0) == 0)
      on_communicators(what);
    else if (what.rfind("type", 0) == 0)
      on_types(what);
    else if (what.rfind("win", 0) == 0)
      on_windows(what);
    else if (what == "complete")
      on_completion(what);
    else
      on_requests(what);
  }
  int all = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0)
    std::printf("passed callbacks\n");
  MPI_Finalize();
  return all != 0;
}

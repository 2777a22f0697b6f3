// SPDX-License-Identifier: BSD-3-Clause

// Error handlers and operators that throw, as C++ wrappers of MPI do: the program catches it, and goes on.

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <thalweg/nic.h>

namespace {

int rank = 0;
int size = 0;
int wrong = 0;

void thrower(MPI_Comm*, int* code, ...) {
  int kind = 0;
  MPI_Error_class(*code, &kind);
  throw std::runtime_error("class " + std::to_string(kind));
}

// Throws what is no std::exception where `-8` meets something.
void checked(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int at = 0; at < *length; ++at) {
    const int left = static_cast<int*>(in)[at];
    int& right = static_cast<int*>(inout)[at];
    if (left == -7 || right == -7)
      throw std::domain_error("bad element");
    if (left == -8 || right == -8)
      throw 8;
    right += left;
  }
}

template <typename Call>
void expect(const std::string& wanted, Call call) {
  std::string got = "nothing";
  try {
    call();
  } catch (const std::exception& error) {
    got = error.what();
  } catch (int number) {
    got = std::to_string(number);
  }
  if (got.rfind(wanted, 0) != 0) {
    ++wrong;
    std::printf("rank %d: '%s' in place of '%s'\n", rank, got.c_str(), wanted.c_str());
  }
}

void go_on() {
  for (int call = 0; call < 20; ++call) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != size * (size - 1) / 2) {
      ++wrong;
      std::printf("rank %d: a sum of %d\n", rank, sum);
    }
  }
}

void try_handlers() {
  int x = rank;
  int y = 0;
  expect("class", [&] { MPI_Bcast(&x, 1, MPI_INT, size + 3, MPI_COMM_WORLD); });
  go_on();
  expect("class", [&] { MPI_Allreduce(&x, &y, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD); });
  expect("class", [&] { MPI_Send(&x, 1, MPI_INT, size + 1, 0, MPI_COMM_WORLD); });
  expect("class", [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&x, 1, MPI_INT, size + 3, MPI_COMM_WORLD, &request);
  });
  expect("class", [&] { MPI_Barrier(MPI_COMM_NULL); });
  go_on();
  if (rank == 0) { // one rank alone
    int four[4] = {};
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(four, 4, MPI_INT, 0, 7, MPI_COMM_WORLD, &request);
    expect("class", [&] { MPI_Recv(four, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  go_on();
}

void try_operators(bool of_all) {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(checked, 1, &op);
  int bad = -7;
  int z = 1;
  expect("bad element", [&] { MPI_Reduce_local(&bad, &z, 1, MPI_INT, op); });
  go_on();
  for (int round = 0; of_all && round < 3; ++round) {
    expect("bad element", [&] { MPI_Allreduce(&bad, &z, 1, MPI_INT, op, MPI_COMM_WORLD); });
    int odd = -8;
    expect("8", [&] { MPI_Allreduce(&odd, &z, 1, MPI_INT, op, MPI_COMM_WORLD); });
    go_on();
  }
  MPI_Op_free(&op);
}

// Natively, exceptions out of nonblocking ones leave requests that no call completes any more. Operators with
// a name run on our engine, where the call that completes them fails in their stead.
void try_nonblocking() {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(checked, 1, &op);
  thalweg_nic_operator(op, "checked");
  int bad = -7;
  int one = 1;
  int flag = 0;
  int index = 0;
  int sums[2] = {};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  const auto begin = [&] { MPI_Iallreduce(&bad, &sums[0], 1, MPI_INT, op, MPI_COMM_WORLD, &requests[0]); };
  const auto begin_both = [&] {
    begin();
    MPI_Iallreduce(&one, &sums[1], 1, MPI_INT, op, MPI_COMM_WORLD, &requests[1]);
  };
  for (int round = 0; round < 3; ++round) {
    begin();
    expect("class", [&] { MPI_Wait(&requests[0], MPI_STATUS_IGNORE); });
    go_on();
    begin();
    expect("class", [&] {
      for (flag = 0; flag == 0;)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    });
    begin_both();
    expect("class", [&] { MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); });
    go_on();
    begin();
    expect("class", [&] { MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE); });
    wrong += sums[1] != size;
    go_on();
  }
  MPI_Op_free(&op);
}

// The same of persistent ones, under their standard name, which Open MPI 4.1 has under Thalweg alone. MPICH's
// are its own.
void try_persistent() {
  using Function = int (*)(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm, MPI_Info, MPI_Request*);
  const auto make = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, "MPI_Allreduce_init"));
  if (make == nullptr) {
    ++wrong;
    return;
  }
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(checked, 1, &op);
  thalweg_nic_operator(op, "checked");
  int mine[2] = {-7, 1};
  int sums[2] = {};
  int flag = 0;
  int index = 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status statuses[2];
  for (int of = 0; of < 2; ++of)
    make(&mine[of], &sums[of], 1, MPI_INT, op, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[of]);
  for (int round = 0; round < 3; ++round) {
    MPI_Start(&requests[0]);
    expect("class", [&] { MPI_Wait(&requests[0], MPI_STATUS_IGNORE); });
    MPI_Start(&requests[0]);
    go_on(); // and it is over before anybody asks
    expect("class", [&] { MPI_Wait(&requests[0], MPI_STATUS_IGNORE); });
    MPI_Start(&requests[0]);
    expect("class", [&] {
      for (flag = 0; flag == 0;)
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    });
    MPI_Start(&requests[0]);
    expect("class", [&] { MPI_Waitany(1, requests, &index, MPI_STATUS_IGNORE); });
    MPI_Start(&requests[0]);
    expect("class", [&] { MPI_Waitsome(1, requests, &flag, &index, statuses); });
    sums[1] = 0;
    MPI_Startall(2, requests);
    expect("class", [&] { MPI_Waitall(2, requests, statuses); });
    wrong += sums[1] != size || statuses[0].MPI_ERROR == MPI_SUCCESS || statuses[1].MPI_ERROR != MPI_SUCCESS;
    MPI_Startall(2, requests);
    expect("class", [&] {
      for (flag = 0; flag == 0;)
        MPI_Testall(2, requests, &flag, statuses);
    });
    mine[0] = 1; // and not this time
    MPI_Startall(2, requests);
    expect("nothing", [&] { MPI_Waitall(2, requests, statuses); });
    wrong += sums[0] != size || sums[1] != size;
    mine[0] = -7;
    go_on();
  }
  for (MPI_Request& request : requests)
    MPI_Request_free(&request);
  MPI_Op_free(&op);
}

} // namespace

// throws [all | nonblocking | persistent]: also operators that throw on all ranks of a reduction
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Errhandler handler;
  for (MPI_Comm comm : {MPI_COMM_WORLD, MPI_COMM_SELF}) {
    MPI_Comm_create_errhandler(thrower, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
  }
  try_handlers();
  try_operators(argc > 1 && std::strcmp(argv[1], "all") == 0);
  if (argc > 1 && std::strcmp(argv[1], "nonblocking") == 0)
    try_nonblocking();
  if (argc > 1 && std::strcmp(argv[1], "persistent") == 0)
    try_persistent();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  int all = wrong;
  MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0)
    std::printf("passed throws\n");
  MPI_Finalize();
  return all != 0;
}

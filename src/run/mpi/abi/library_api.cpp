// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/abi/library_api.hpp"

#include "mpi/abi/looks.hpp"
#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

namespace {

// The library's functions that are wrapped take handles as they arrive in registers (Handle).
int send(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator) {
  return native.Send(buffer, count, type, to, tag, communicator);
}

int receive(void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
            MPI_Status* status) {
  return native.Recv(buffer, count, type, from, tag, communicator, status);
}

int exchange(const void* sent, int send_count, MPI_Datatype send_type, int to, int send_tag, void* received,
             int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm communicator,
             MPI_Status* status) {
  return native.Sendrecv(sent, send_count, send_type, to, send_tag, received, receive_count, receive_type,
                         from, receive_tag, communicator, status);
}

int start_send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
               MPI_Request* request) {
  return native.Isend(data, count, type, to, tag, communicator, request);
}

int start_synchronous_send(const void* data, int count, MPI_Datatype type, int to, int tag,
                           MPI_Comm communicator, MPI_Request* request) {
  return native.Issend(data, count, type, to, tag, communicator, request);
}

int start_receive(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm communicator,
                  MPI_Request* request) {
  return native.Irecv(data, count, type, from, tag, communicator, request);
}

// Those who look give way themselves.
int test_one(MPI_Request* request, int* found, MPI_Status* status) {
  ++looks_begun;
  return native.Test(request, found, status);
}

int test_some(int count, MPI_Request requests[], int* completed, int indices[], MPI_Status statuses[]) {
  ++looks_begun;
  return native.Testsome(count, requests, completed, indices, statuses);
}

int test_all(int count, MPI_Request requests[], int* found, MPI_Status statuses[]) {
  ++looks_begun;
  return native.Testall(count, requests, found, statuses);
}

int probe_now(int from, int tag, MPI_Comm communicator, int* found, MPI_Status* status) {
  ++looks_begun;
  return native.Iprobe(from, tag, communicator, found, status);
}

int create(MPI_Comm parent, MPI_Group group, MPI_Comm* made) {
  return native.Comm_create(parent, group, made);
}

int create_over(MPI_Comm base, MPI_Group group, int tag, MPI_Comm* made) {
  return native.Comm_create_group(base, group, tag, made);
}

int free_request(MPI_Request* request) {
  return native.Request_free(request);
}

} // namespace

const transport::MpiApi& library_api() {
  static const transport::MpiApi api{
      .isend = start_send,
      .issend = start_synchronous_send,
      .irecv = start_receive,
      .send = send,
      .recv = receive,
      .sendrecv = exchange,
      .waitall = native.Waitall,
      .waitsome = native.Waitsome,
      .test = test_one,
      .testsome = test_some,
      .testall = test_all,
      .iprobe = probe_now,
      .get_count = native.Get_count,
      .cancel = native.Cancel,
      .request_free = free_request,
      .comm_rank = native.Comm_rank,
      .comm_size = native.Comm_size,
      .comm_group = native.Comm_group,
      .comm_create = create,
      .comm_create_group = create_over,
      .comm_free = native.Comm_free,
      .comm_set_errhandler = native.Comm_set_errhandler,
      .comm_get_errhandler = native.Comm_get_errhandler,
      .errhandler_free = native.Errhandler_free,
      .comm_get_attr = native.Comm_get_attr,
      .group_incl = native.Group_incl,
      .group_free = native.Group_free,
      .type_contiguous = native.Type_contiguous,
      .type_create_struct = native.Type_create_struct,
      .type_commit = native.Type_commit,
      .type_free = native.Type_free,
      .op_commutative = native.Op_commutative,
      .reduce_local = native.Reduce_local,
      .get_library_version = native.Get_library_version,
      .finalized = native.Finalized,
      .byte = MPI_BYTE,
      .request_null = MPI_REQUEST_NULL,
      .comm_null = MPI_COMM_NULL,
      .errors_return = MPI_ERRORS_RETURN,
      .errors_are_fatal = MPI_ERRORS_ARE_FATAL,
  };
  return api;
}

const job::PredefinedOperators& library_operators() {
  static const job::PredefinedOperators operators = [] {
    job::PredefinedOperators all = job::predefined_operators();
    all.order_as_library(library_api());
    return all;
  }();
  return operators;
}

} // namespace thalweg::mpi

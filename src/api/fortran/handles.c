/* SPDX-License-Identifier: BSD-3-Clause */
/* What Fortran cannot call by itself: functions that take MPI's handles, which Fortran has as numbers. */
#include "thalweg/stream.h"
#include "thalweg/team.h"

/* The kinds of numbers that thalweg_arrays.f90 counts, from 1 on; 0: others, which move as bytes. */
static MPI_Datatype type_of(int kind) {
  switch (kind) {
  case 1:
    return MPI_INT8_T;
  case 2:
    return MPI_INT16_T;
  case 3:
    return MPI_INT32_T;
  case 4:
    return MPI_INT64_T;
  case 5:
    return MPI_FLOAT;
  case 6:
    return MPI_DOUBLE;
  case 7:
    return MPI_C_FLOAT_COMPLEX;
  case 8:
    return MPI_C_DOUBLE_COMPLEX;
  default:
    return MPI_BYTE;
  }
}

/* thalweg_team_call with Fortran's handles; op -1: no operator, -2: the sum. */
typedef struct fortran_call {
  const void* input;
  void* output;
  size_t count;
  int collective;
  int kind;
  int op;
  int root;
  int before;
  int after;
} fortran_call;

THALWEG_API thalweg_status thalweg_fortran_create_team(const MPI_Fint* communicator, thalweg_team** team);
THALWEG_API thalweg_status thalweg_fortran_create_stream(const MPI_Fint* communicator,
                                                         const thalweg_stream_options* options,
                                                         const thalweg_stream_handler* handler,
                                                         thalweg_stream** stream);
THALWEG_API thalweg_status thalweg_fortran_start(thalweg_team* team, const fortran_call* given,
                                                 thalweg_request** request);

thalweg_status thalweg_fortran_create_team(const MPI_Fint* communicator, thalweg_team** team) {
  return thalweg_team_create(MPI_Comm_f2c(*communicator), team);
}

thalweg_status thalweg_fortran_create_stream(const MPI_Fint* communicator,
                                             const thalweg_stream_options* options,
                                             const thalweg_stream_handler* handler, thalweg_stream** stream) {
  return thalweg_stream_create(MPI_Comm_f2c(*communicator), options, handler, stream);
}

thalweg_status thalweg_fortran_start(thalweg_team* team, const fortran_call* given,
                                     thalweg_request** request) {
  thalweg_team_call call = THALWEG_TEAM_CALL_INIT;
  call.collective = (thalweg_collective)given->collective;
  call.input = given->input;
  call.output = given->output;
  call.count = given->count;
  if (given->op != -1) {
    call.type = type_of(given->kind);
    call.op = given->op == -2 ? MPI_SUM : MPI_Op_f2c(given->op);
  }
  call.root = given->root;
  call.before = (thalweg_sync)given->before;
  call.after = (thalweg_sync)given->after;
  return thalweg_team_start(team, &call, request);
}

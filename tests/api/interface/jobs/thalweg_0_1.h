/* SPDX-License-Identifier: BSD-3-Clause */
/* What programs of the version before this one were compiled with: of the headers of 0.1 what
 * first_version.c uses, as it was. With each minor version that of the one before takes its place. */
#ifndef THALWEG_0_1_H
#define THALWEG_0_1_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#define THALWEG_API

typedef enum thalweg_status {
  thalweg_success = 0,
  thalweg_error_invalid_argument = 1,
  thalweg_error_out_of_memory = 2,
  thalweg_error_mpi = 3,
  thalweg_error_mismatch = 4,
  thalweg_error_unsupported = 5,
  thalweg_error_system = 6,
  thalweg_error_not_proven = 7,
  thalweg_error_internal = 8,
  thalweg_error_handler = 9
} thalweg_status;
typedef enum thalweg_sync { thalweg_sync_none, thalweg_sync_mine, thalweg_sync_all } thalweg_sync;
typedef enum thalweg_collective {
  thalweg_collective_broadcast,
  thalweg_collective_scatter,
  thalweg_collective_gather,
  thalweg_collective_allgather,
  thalweg_collective_alltoall,
  thalweg_collective_reduce,
  thalweg_collective_allreduce,
  thalweg_collective_scan,
  thalweg_collective_barrier
} thalweg_collective;
typedef enum thalweg_balance_scheme { thalweg_balance_sweep, thalweg_balance_alias } thalweg_balance_scheme;
typedef enum thalweg_balance_spread { thalweg_balance_even, thalweg_balance_capped } thalweg_balance_spread;
typedef enum thalweg_fence_scheme {
  thalweg_fence_sweep,
  thalweg_fence_alias,
  thalweg_fence_refine,
  thalweg_fence_greedy,
  thalweg_fence_near,
  thalweg_fence_stay
} thalweg_fence_scheme;
typedef struct thalweg_request thalweg_request;
typedef struct thalweg_team thalweg_team;
typedef struct thalweg_stream thalweg_stream;
typedef struct thalweg_balancer thalweg_balancer;
typedef struct thalweg_objects thalweg_objects;
typedef struct thalweg_foreign_array thalweg_foreign_array;
typedef struct thalweg_error {
  thalweg_status status;
  int rank;
  const char* call;
  const char* remedy;
  const char* message;
} thalweg_error;
typedef struct thalweg_team_call {
  size_t struct_size;
  thalweg_collective collective;
  const void* input;
  void* output;
  size_t count;
  MPI_Datatype type;
  MPI_Op op;
  int root;
  thalweg_sync before;
  thalweg_sync after;
  const char* file;
  int line;
} thalweg_team_call;
typedef struct thalweg_received {
  int from;
  int tag;
  size_t bytes;
} thalweg_received;
typedef struct thalweg_stream_options {
  size_t item_bytes;
  size_t buffer_bytes;
  size_t memory_bytes;
  const char* shape;
  size_t max_pending_items;
  size_t max_overflow_bytes;
  unsigned period_us;
} thalweg_stream_options;
typedef struct thalweg_stream_handler {
  void* context;
  int (*deliver)(void* context, const char* items, size_t bytes);
  int (*forward)(void* context, const char* items, size_t bytes, uint32_t dimension);
  int (*release)(void* context);
  int (*resend)(void* context, const char* items, size_t bytes, uint32_t odd);
} thalweg_stream_handler;
typedef struct thalweg_stream_statistics {
  size_t size;
  uint64_t buffers_full;
  uint64_t buffers_flushed;
  uint64_t buffers_waited;
  uint64_t buffers_closed;
  uint64_t near_bytes;
  uint64_t far_bytes;
  uint64_t buffer_bytes;
  uint64_t far_messages;
  uint64_t hops;
  uint64_t delivered_bytes;
  uint64_t delivered_items;
  uint64_t waits;
  uint64_t waited_ns;
  uint64_t finish_ns;
  uint64_t duration_ns;
  uint64_t waves;
  uint64_t phases;
  uint64_t max_overflow_bytes;
  uint64_t max_memory_bytes;
} thalweg_stream_statistics;
typedef struct thalweg_balancer_options {
  const int* order;
  int gathered_ranks;
} thalweg_balancer_options;
typedef struct thalweg_balance_options {
  thalweg_balance_scheme scheme;
  thalweg_balance_spread spread;
  double speed;
  double threshold;
  double load_seconds;
  double steps;
  double hysteresis;
  double min_gain_seconds;
} thalweg_balance_options;
typedef struct thalweg_tasks {
  size_t count;
  const void* tasks;
  size_t task_bytes;
  const double* weights;
  size_t (*pack)(void* context, size_t first, size_t end, void* to, size_t room);
  void* context;
} thalweg_tasks;
typedef struct thalweg_moved {
  size_t kept;
  size_t arrived;
  const void* tasks;
  size_t bytes;
  int was_worth;
  double imbalance;
  double gain_seconds;
  double exchange_seconds;
} thalweg_moved;
typedef struct thalweg_weight {
  int rank;
  double bytes;
  int phase;
} thalweg_weight;
typedef struct thalweg_reorder_options {
  size_t size;
  const char* objective;
  double seconds;
  double gain;
  const char* network;
  const char* node_list;
} thalweg_reorder_options;
typedef struct thalweg_reordering {
  size_t size;
  int is_renumbered;
  double hops_per_byte;
  double hops_per_byte_before;
  double link_bytes;
  double link_bytes_before;
  char reason[160];
} thalweg_reordering;
typedef struct thalweg_fence_options {
  double threshold;
  double steps;
  double hysteresis;
  double min_gain_seconds;
  thalweg_fence_scheme scheme;
} thalweg_fence_options;
typedef struct thalweg_fence_outcome {
  uint64_t left;
  uint64_t entered;
  int was_worth;
  double imbalance;
  double gain_seconds;
  double move_seconds;
} thalweg_fence_outcome;
typedef struct thalweg_foreign_functions {
  void* context;
  int (*make)(void* context, uint32_t element);
  int (*run)(void* context, uint32_t element, uint32_t source, const void* arguments, size_t bytes);
  int (*pack)(void* context, uint32_t element);
  int (*enter)(void* context, uint32_t element, const void* from, size_t bytes);
  void (*leave)(void* context, uint32_t element);
  int (*combine)(void* context, const void* one, size_t one_bytes, const void* other, size_t other_bytes);
  int (*reduced)(void* context, uint32_t element, const void* value, size_t bytes);
  int (*begin_anew)(void* context);
} thalweg_foreign_functions;
#define THALWEG_TEAM_CALL_INIT                                                                               \
  {                                                                                                          \
    sizeof(thalweg_team_call), thalweg_collective_broadcast, NULL, NULL, 0, MPI_BYTE, MPI_OP_NULL, 0,        \
        thalweg_sync_mine, thalweg_sync_mine, NULL, 0                                                        \
  }
#define THALWEG_BALANCE_DEFAULTS                                                                             \
  { thalweg_balance_alias, thalweg_balance_even, 0, 0, 0, 0, 0, 0 }
#define THALWEG_REORDER_DEFAULTS                                                                             \
  { sizeof(thalweg_reorder_options), NULL, 0.05, 0.2, NULL, NULL }
THALWEG_API const thalweg_error* thalweg_last_error(void);
THALWEG_API thalweg_status thalweg_team_create(MPI_Comm communicator, thalweg_team** team);
THALWEG_API thalweg_status thalweg_team_start(thalweg_team* team, const thalweg_team_call* call,
                                              thalweg_request** request);
THALWEG_API thalweg_status thalweg_team_free(thalweg_team** team);
THALWEG_API thalweg_status thalweg_stream_create(MPI_Comm communicator, const thalweg_stream_options* options,
                                                 const thalweg_stream_handler* handler,
                                                 thalweg_stream** stream);
THALWEG_API thalweg_status thalweg_stream_send(thalweg_stream* stream, int rank, const void* item);
THALWEG_API thalweg_status thalweg_stream_finish(thalweg_stream* stream);
THALWEG_API thalweg_status thalweg_stream_free(thalweg_stream** stream);
THALWEG_API thalweg_status thalweg_balancer_create(MPI_Comm communicator,
                                                   const thalweg_balancer_options* options,
                                                   thalweg_balancer** balancer);
THALWEG_API thalweg_status thalweg_balance_tasks(thalweg_balancer* balancer, const thalweg_tasks* tasks,
                                                 const thalweg_balance_options* options,
                                                 thalweg_moved* moved);
THALWEG_API thalweg_status thalweg_balancer_free(thalweg_balancer** balancer);
THALWEG_API thalweg_status thalweg_reorder(MPI_Comm communicator, const thalweg_weight* weights, size_t count,
                                           const thalweg_reorder_options* options, MPI_Comm* reordered,
                                           thalweg_reordering* found);
THALWEG_API thalweg_status thalweg_objects_open(MPI_Comm communicator, thalweg_objects** objects);
THALWEG_API thalweg_status thalweg_objects_fence(thalweg_objects* objects,
                                                 const thalweg_fence_options* options,
                                                 thalweg_fence_outcome* outcome);
THALWEG_API thalweg_status thalweg_objects_close(thalweg_objects** objects);
THALWEG_API thalweg_status thalweg_foreign_create(MPI_Comm communicator, const int64_t* shape, int dimensions,
                                                  const char* type, uint64_t signature,
                                                  const thalweg_foreign_functions* functions,
                                                  thalweg_foreign_array** array);
THALWEG_API thalweg_status thalweg_foreign_free(thalweg_foreign_array** array);

#endif

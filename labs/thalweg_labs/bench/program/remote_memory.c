/* SPDX-License-Identifier: BSD-3-Clause */
/* Puts, gets and signals between two ranks: of a team, of an MPI window, as messages of MPI, and as
 * plain stores where the memory can be reached.
 * remote_memory TURNS BYTES...  prints "what bytes way seconds" for each, the median over the turns. The ways
 * take turns. What: put (it has landed), get, ping (data with a signal, one way), row (a put of many, then
 * all have landed). */
#include "thalweg/team.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { max_turns = 100, max_row = 256 };
enum way { of_team, of_window, of_messages, of_stores, ways };
enum what { put, get, ping, row, whats };
static const char* const way_names[ways] = {"team", "window", "send", "store"};
static const char* const what_names[whats] = {"put", "get", "ping", "row"};

static thalweg_team* team;
static MPI_Win window;
static int rank, peer, is_first, has_window;
static size_t room;
static char *memory, *there, *window_memory, *own;
static uint64_t* signals; /* one of the team, and one behind the window's memory */
static uint64_t sequence;

static void must(thalweg_status status) {
  if (status != thalweg_success) {
    fprintf(stderr, "rank %d: %s\n", rank, thalweg_error_message());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

static thalweg_team_transfer transfer_of(size_t bytes) {
  thalweg_team_transfer transfer = THALWEG_TEAM_TRANSFER_INIT;
  transfer.memory = memory;
  transfer.rank = peer;
  transfer.data = own;
  transfer.bytes = bytes;
  return transfer;
}

static _Atomic uint64_t* window_flag(char* begin) {
  return (_Atomic uint64_t*)(void*)(begin + room);
}

static void flush(void) {
  MPI_Win_flush(peer, window);
}

static void give(enum way way, size_t bytes) {
  ++sequence;
  if (way == of_team) {
    thalweg_team_transfer transfer = transfer_of(bytes);
    transfer.signal = signals;
    transfer.value = sequence;
    must(thalweg_team_put(team, &transfer, NULL));
  } else if (way == of_window) {
    MPI_Put(own, (int)bytes, MPI_BYTE, peer, 0, (int)bytes, MPI_BYTE, window);
    flush();
    MPI_Put(&sequence, 8, MPI_BYTE, peer, (MPI_Aint)room, 8, MPI_BYTE, window);
    flush();
  } else if (way == of_messages) {
    MPI_Send(own, (int)bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
  } else {
    memcpy(there, own, bytes);
    atomic_store_explicit((_Atomic uint64_t*)(void*)(there + room), sequence, memory_order_release);
  }
}

static void take(enum way way, size_t bytes) {
  const uint64_t wanted = ++sequence;
  int found = 0;
  if (way == of_team) {
    must(thalweg_team_wait(team, signals, thalweg_condition_greater_equal, wanted, NULL));
  } else if (way == of_window) {
    while (atomic_load_explicit(window_flag(window_memory), memory_order_acquire) < wanted) {
      MPI_Win_sync(window);
      MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    }
  } else if (way == of_messages) {
    MPI_Recv(memory, (int)bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    while (atomic_load_explicit((_Atomic uint64_t*)(void*)(memory + room), memory_order_acquire) < wanted)
      ;
  }
}

static void put_or_get(enum what what, enum way way, size_t bytes) {
  if (way == of_team) {
    const thalweg_team_transfer transfer = transfer_of(bytes);
    must(what == get ? thalweg_team_get(team, &transfer, NULL) : thalweg_team_put(team, &transfer, NULL));
  } else if (way == of_window && what == get) {
    MPI_Get(own, (int)bytes, MPI_BYTE, peer, 0, (int)bytes, MPI_BYTE, window);
  } else if (way == of_window) {
    MPI_Put(own, (int)bytes, MPI_BYTE, peer, 0, (int)bytes, MPI_BYTE, window);
  } else if (what == get) {
    memcpy(own, there, bytes);
  } else {
    memcpy(there, own, bytes);
  }
}

static void land(enum way way) {
  if (way == of_team)
    must(thalweg_team_quiet(team));
  else if (way == of_window)
    flush();
  else
    atomic_thread_fence(memory_order_seq_cst);
}

static void send_row(size_t bytes, int count) {
  static MPI_Request requests[max_row];
  for (int i = 0; i < count; ++i)
    if (is_first)
      MPI_Isend(own, (int)bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
    else
      MPI_Irecv(memory, (int)bytes, MPI_BYTE, peer, 0, MPI_COMM_WORLD, &requests[i]);
  MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  if (is_first)
    MPI_Recv(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(NULL, 0, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
}

static int can(enum what what, enum way way) {
  if (way == of_stores)
    return there != NULL;
  if (way == of_window)
    return has_window;
  return way != of_messages || what == ping || what == row;
}

/* Of one of `calls` calls, as the first rank sees it. The other one waits where it takes part in them. */
static double measure(enum what what, enum way way, size_t bytes, int calls) {
  const int in_row = what == row ? (bytes <= 1024 ? max_row : 16) : 1;
  must(thalweg_team_barrier(team, NULL));
  const double begun = MPI_Wtime();
  for (int call = 0; call < calls; ++call)
    if (what == ping && is_first) {
      give(way, bytes);
      take(way, bytes);
    } else if (what == ping) {
      take(way, bytes);
      give(way, bytes);
    } else if (way == of_messages) {
      send_row(bytes, in_row);
    } else if (is_first) {
      for (int i = 0; i < in_row; ++i)
        put_or_get(what, way, bytes);
      land(way);
    }
  const double taken = MPI_Wtime() - begun;
  if (way == of_team || way == of_stores)
    must(thalweg_team_barrier(team, NULL));
  else
    MPI_Barrier(MPI_COMM_WORLD);
  return taken / calls / (what == ping ? 2 : in_row);
}

static int ascending(const void* a, const void* b) {
  const double left = *(const double*)a, right = *(const double*)b;
  return (left > right) - (left < right);
}

static void measure_all(enum what what, size_t bytes, int turns) {
  static double taken[ways][max_turns];
  int calls = bytes <= 8192 ? 1000 : bytes <= 131072 ? 100 : 10;
  if (there == NULL || what == row)
    calls = calls / 10 + 1;
  for (int turn = -1; turn < turns; ++turn) /* one to warm up */
    for (int way = 0; way < ways; ++way)
      if (can(what, (enum way)way))
        taken[way][turn < 0 ? 0 : turn] = measure(what, (enum way)way, bytes, calls);
  for (int way = 0; is_first && way < ways; ++way)
    if (can(what, (enum way)way)) {
      qsort(taken[way], (size_t)turns, sizeof **taken, ascending);
      printf("%s %zu %s %.9f\n", what_names[what], bytes, way_names[way], taken[way][turns / 2]);
    }
  fflush(stdout);
}

/* Open MPI has none for some networks: then this way is left out. */
static void open_window(void) {
  int is_there = 0;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code =
      MPI_Win_allocate((MPI_Aint)room + 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_memory, &window);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  is_there = code == MPI_SUCCESS;
  MPI_Allreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  has_window = is_there;
  if (!has_window)
    return;
  memset(window_memory, 0, room + 64);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
}

static void open_memory(void) {
  void* allocated = NULL;
  must(thalweg_team_allocate(team, room + 64, &allocated));
  memory = allocated;
  there = thalweg_team_reach(team, memory, peer);
  must(thalweg_team_allocate(team, 64, &allocated));
  signals = allocated;
  open_window();
  own = calloc(1, room);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2 || argc < 3) {
    fprintf(stderr, "remote_memory TURNS BYTES...: on two ranks\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  is_first = rank == 0;
  peer = 1 - rank;
  const int turns = atoi(argv[1]) < max_turns ? atoi(argv[1]) : max_turns;
  for (int argument = 2; argument < argc; ++argument)
    if ((size_t)atoll(argv[argument]) > room)
      room = (size_t)atoll(argv[argument]);
  room = (room + 63) / 64 * 64;
  must(thalweg_team_create(MPI_COMM_WORLD, &team));
  open_memory();
  MPI_Barrier(MPI_COMM_WORLD);
  for (int what = 0; what < whats; ++what)
    for (int argument = 2; argument < argc; ++argument)
      measure_all((enum what)what, (size_t)atoll(argv[argument]), turns);
  free(own);
  if (has_window) {
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
  }
  must(thalweg_team_free(&team));
  MPI_Finalize();
  return 0;
}

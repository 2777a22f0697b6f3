/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "team_calls.h"

#include "thalweg/team.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { row_length = 10, path_bytes = 4096 };
static const char mark[] = "team_";

/* The library beside the interposer, whose functions are looked up by name. */
static struct {
  thalweg_status (*create)(int version, MPI_Comm communicator, thalweg_team** team);
  thalweg_status (*use)(thalweg_team* team, const char* selections);
  thalweg_status (*start)(thalweg_team* team, const thalweg_team_call* call, thalweg_request** request);
  thalweg_status (*barrier)(thalweg_team* team, thalweg_request** request);
  thalweg_status (*free)(thalweg_team** team);
} library;
static thalweg_team* team;

static const struct {
  const char* name;
  thalweg_collective collective;
  int has_input, reduces, has_root;
} collectives[] = {{"broadcast", thalweg_collective_broadcast, 0, 0, 1},
                   {"scatter", thalweg_collective_scatter, 1, 0, 1},
                   {"gather", thalweg_collective_gather, 1, 0, 1},
                   {"allgather", thalweg_collective_allgather, 1, 0, 0},
                   {"alltoall", thalweg_collective_alltoall, 1, 0, 0},
                   {"reduce", thalweg_collective_reduce, 1, 1, 1},
                   {"allreduce", thalweg_collective_allreduce, 1, 1, 0},
                   {"scan", thalweg_collective_scan, 1, 1, 0},
                   {"barrier", thalweg_collective_barrier, 0, 0, 0},
                   {"exscan", thalweg_collective_exscan, 1, 1, 0},
                   {"reduce_scatter", thalweg_collective_reduce_scatter, 1, 1, 0}};

/* What a call is: all but its buffers and their size. */
static thalweg_team_call wanted;
static size_t element_bytes;

static void fail(const char* what, const char* name) {
  fprintf(stderr, "trial: %s '%s'\n", what, name);
  MPI_Abort(MPI_COMM_WORLD, 2);
}

static void* function(void* handle, const char* name) {
  void* const found = dlsym(handle, name);
  if (found == NULL)
    fail("the library of teams lacks", name);
  return found;
}

/* Of the interposer's family; wheels have the number of its interface behind the name. */
static void* open_library(void) {
  Dl_info own;
  char pattern[path_bytes];
  void* const known = dlsym(RTLD_DEFAULT, "thalweg_bypass");
  if (known == NULL || dladdr(known, &own) == 0)
    fail("start it under thalweg run, for calls of a", "team");
  const char* const name = strrchr(own.dli_fname, '/') + 1;
  static const char prefix[] = "libthalweg-";
  if (strncmp(name, prefix, sizeof prefix - 1) != 0)
    fail("no interposer's name:", name);
  snprintf(pattern, sizeof pattern, "%.*s%steam-%s*", (int)(name - own.dli_fname), own.dli_fname, prefix,
           name + sizeof prefix - 1);
  glob_t found;
  void* handle = NULL;
  if (glob(pattern, 0, NULL, &found) == 0)
    handle = dlopen(found.gl_pathv[0], RTLD_NOW | RTLD_LOCAL);
  globfree(&found);
  if (handle == NULL)
    fail("there are no teams for this MPI library:", pattern);
  return handle;
}

static void open_teams(void) {
  if (library.create != NULL)
    return;
  void* const handle = open_library();
  *(void**)&library.use = function(handle, "thalweg_team_use");
  *(void**)&library.start = function(handle, "thalweg_team_start");
  *(void**)&library.barrier = function(handle, "thalweg_team_barrier");
  *(void**)&library.free = function(handle, "thalweg_team_free");
  *(void**)&library.create = function(handle, "thalweg_team_create_for");
}

static void must(thalweg_status status, const char* what) {
  if (status != thalweg_success)
    fail("a team has failed in", what);
}

static void call_once(int bytes) {
  if (wanted.collective == thalweg_collective_barrier) {
    must(library.barrier(team, NULL), "barrier");
    return;
  }
  thalweg_team_call call = wanted;
  call.output = buffers.output;
  call.count = (size_t)bytes / element_bytes;
  must(library.start(team, &call, NULL), "start");
}

static void call_row(int bytes) {
  for (int i = 0; i < row_length; ++i)
    call_once(bytes);
  must(library.barrier(team, NULL), "barrier");
}

static thalweg_sync end_of(const char* text, const char* operation) {
  static const char* const names[] = {"none", "mine", "all"};
  for (int i = 0; i < 3; ++i)
    if (strncmp(text, names[i], strlen(names[i])) == 0)
      return (thalweg_sync)i;
  fail("no synchronization of a team:", operation);
  return thalweg_sync_mine;
}

static void read_mode(const char* text, const char* operation) {
  const char* const dash = strchr(text, '-');
  wanted.before = wanted.after = thalweg_sync_mine;
  if (strcmp(text, "strict") == 0)
    wanted.before = wanted.after = thalweg_sync_all;
  else if (strcmp(text, "loose") == 0)
    wanted.before = wanted.after = thalweg_sync_none;
  else if (dash != NULL)
    wanted.before = end_of(text, operation), wanted.after = end_of(dash + 1, operation);
  else if (*text != 0)
    fail("no synchronization of a team:", operation);
}

int is_of_team(const char* operation) {
  return strncmp(operation, mark, sizeof mark - 1) == 0;
}

call_function* find_team_call(const char* operation) {
  const char* const name = operation + sizeof mark - 1;
  const size_t length = strcspn(name, "@");
  wanted = (thalweg_team_call)THALWEG_TEAM_CALL_INIT;
  read_mode(name[length] == '@' ? name + length + 1 : "", operation);
  for (size_t i = 0; i < sizeof collectives / sizeof *collectives; ++i)
    if (strlen(collectives[i].name) == length && strncmp(collectives[i].name, name, length) == 0) {
      wanted.collective = collectives[i].collective;
      wanted.input = collectives[i].has_input ? buffers.input : NULL;
      wanted.type = collectives[i].reduces ? MPI_DOUBLE : MPI_BYTE;
      wanted.op = collectives[i].reduces ? MPI_SUM : MPI_OP_NULL;
      wanted.root = collectives[i].has_root ? group.root : 0;
      element_bytes = collectives[i].reduces ? sizeof(double) : 1;
      return wanted.after == thalweg_sync_none ? call_row : call_once;
    }
  fail("no operation of a team:", operation);
  return NULL;
}

void begin_team(void) {
  open_teams();
  if (team == NULL)
    must(library.create(THALWEG_HEADER_VERSION, group.communicator, &team), "create");
}

int choose_for_team(const char* selection) {
  begin_team();
  return (int)library.use(team, selection);
}

void leave_team(void) {
  if (team != NULL)
    must(library.free(&team), "free");
}

/* SPDX-License-Identifier: BSD-3-Clause */
// A program whose MPI_COMM_WORLD is another communicator, for ranks were numbered anew: nothing may tell.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures, rank, ranks;
static int handled, deleted;

#define EXPECT(condition)                                                                                    \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      printf("FAILED line %d on rank %d: %s\n", __LINE__, rank, #condition);                                 \
      ++failures;                                                                                            \
    }                                                                                                        \
  } while (0)

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  (void)code;
  ++handled;
}

static int on_delete(MPI_Comm comm, int keyval, void* value, void* extra) {
  (void)keyval;
  (void)extra;
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size); // MPI goes on while attributes are deleted
  if (*(int*)value == 42 && size == ranks)
    ++deleted;
  if (rank == 0 && comm == MPI_COMM_SELF && failures == 0)
    printf("passed numbering\n");
  return MPI_SUCCESS;
}

static void check_attributes(void) {
  int* value = NULL;
  int found = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found);
  EXPECT(found && *value >= 32767);
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &value, &found);
  EXPECT(found);
  static int answer = 42;
  int keyval = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, on_delete, &keyval, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, &answer);
  MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &answer);
  MPI_Comm_get_attr(MPI_COMM_WORLD, keyval, &value, &found);
  EXPECT(found && *value == 42);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_get_attr(copy, keyval, &value, &found);
  EXPECT(found && *value == 42);
  int result = MPI_UNEQUAL;
  MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
  EXPECT(result == MPI_CONGRUENT);
  MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
  EXPECT(result == MPI_IDENT);
  MPI_Comm_delete_attr(copy, keyval);
  deleted = 0;
  MPI_Comm_free(&copy);
  MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval);
  EXPECT(deleted == 1);
}

static void check_names(void) {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  EXPECT(strcmp(name, "MPI_COMM_WORLD") == 0);
  MPI_Comm_set_name(MPI_COMM_WORLD, "mine");
  MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
  EXPECT(strcmp(name, "mine") == 0);
#if !defined(MPI_ABI_VERSION) // without Fortran
  EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
#endif
}

static void check_errors(void) {
  MPI_Errhandler handler;
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  const int byte = 0;
  MPI_Send(&byte, 1, MPI_INT, ranks + 7, 0, MPI_COMM_WORLD);
  EXPECT(handled == 1);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Errhandler_free(&handler);
}

static void check_groups(void) {
  MPI_Group group, one;
  MPI_Comm_group(MPI_COMM_WORLD, &group);
  int own = -1;
  MPI_Group_rank(group, &own);
  EXPECT(own == rank);
  const int last = ranks - 1;
  MPI_Group_incl(group, 1, &last, &one);
  MPI_Comm made;
  MPI_Comm_create(MPI_COMM_WORLD, one, &made);
  EXPECT((made != MPI_COMM_NULL) == (rank == last));
  if (made != MPI_COMM_NULL)
    MPI_Comm_free(&made);
  MPI_Group_free(&one);
  MPI_Group_free(&group);
}

static void check_windows(void) {
  int memory = -1;
  MPI_Win window;
  MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Group group;
  MPI_Win_get_group(window, &group);
  int own = -1;
  MPI_Group_rank(group, &own);
  EXPECT(own == rank);
  MPI_Group_free(&group);
  MPI_Win_free(&window);
}

static void check_messages(void) {
  int from = -1;
  MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % ranks, 3, &from, 1, MPI_INT, (rank + ranks - 1) % ranks, 3,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  EXPECT(from == (rank + ranks - 1) % ranks);
  int* all = malloc((size_t)ranks * sizeof(int));
  MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  for (int other = 0; other < ranks; ++other)
    EXPECT(all[other] == other);
  free(all);
}

// The process that the launcher counts first has what the program says of its first rank.
static void check_expected(int argc, char** argv) {
  const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (int which = 0; argc == ranks + 1 && which < 3; ++which) {
    const char* started = getenv(names[which]);
    if (started == NULL)
      continue;
    EXPECT(atoi(argv[rank + 1]) == atoi(started));
    return;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  check_expected(argc, argv);
  check_messages();
  check_names();
  check_errors();
  check_groups();
  check_windows();
  check_attributes();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (all > 0)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Finalize(); // deletes the attribute of MPI_COMM_SELF
  return 0;
}

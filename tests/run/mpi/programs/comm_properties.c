/* SPDX-License-Identifier: BSD-3-Clause */
// Attributes (with callbacks that themselves call collectives), names, error handlers, and invalid arguments.
#include "complete.h"
#include "forms.h"
#include "suites.h"

#include <string.h>

static int copies = 0, deletions = 0;

static int copy_attribute(MPI_Comm comm, int key, void* extra, void* in, void* out, int* flag) {
  (void)key;
  (void)extra;
  int one = 1, sum = 0, size = 0;
  MUST(MPI_Comm_size(comm, &size));
  MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm)); // all ranks duplicate, so all are here
  REQUIRE(sum == size, "a collective in a copy callback gave %d instead of %d", sum, size);
  *(void**)out = in;
  *flag = 1;
  ++copies;
  return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm comm, int key, void* value, void* extra) {
  (void)key;
  (void)extra;
  REQUIRE(value == (void*)&copies, "a delete callback got another value");
  int one = 1, sum = 0, size = 0;
  MUST(MPI_Comm_size(comm, &size));
  // Yielding makes blocking collectives of nonblocking ones.
  if (!known("nonblocking-while-freeing")) {
    MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
    REQUIRE(sum == size, "a collective in a delete callback gave %d instead of %d", sum, size);
  }
  ++deletions;
  return MPI_SUCCESS;
}

static void check_attributes(void) {
  int key = MPI_KEYVAL_INVALID, flag = 0;
  void* value = NULL;
  MPI_Comm first, second;
  MUST(MPI_Comm_create_keyval(copy_attribute, delete_attribute, &key, NULL));
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &first));
  MUST(MPI_Comm_set_attr(first, key, &copies));
  copies = deletions = 0;
  MUST(MPI_Comm_dup(first, &second));
  REQUIRE(copies == 1, "duplicating called the copy callback %d times", copies);
  MUST(MPI_Comm_get_attr(second, key, &value, &flag));
  REQUIRE(flag && value == (void*)&copies, "the copied attribute is not there");
  MUST(MPI_Comm_free(&second));
  REQUIRE(deletions == 1, "freeing called the delete callback %d times", deletions);
  MUST(MPI_Comm_delete_attr(first, key));
  REQUIRE(deletions == 2, "deleting an attribute called the callback %d times", deletions - 1);
  MUST(MPI_Comm_get_attr(first, key, &value, &flag));
  REQUIRE(!flag, "a deleted attribute is still there");
  MUST(MPI_Comm_free(&first));
  MUST(MPI_Comm_free_keyval(&key));
  REQUIRE(key == MPI_KEYVAL_INVALID, "MPI_Comm_free_keyval left the key");
}

static void check_names(void) {
  MPI_Comm comm, copy;
  char name[MPI_MAX_OBJECT_NAME] = "?";
  int length = -1;
  MUST(MPI_Comm_get_name(MPI_COMM_WORLD, name, &length));
  REQUIRE(strcmp(name, "MPI_COMM_WORLD") == 0, "the world is named '%s'", name);
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  MUST(MPI_Comm_get_name(comm, name, &length));
  REQUIRE(length == 0 || strstr(name, "halweg") == NULL, "a new communicator is named '%s'", name);
  MUST(MPI_Comm_set_name(comm, "mine"));
  MUST(MPI_Comm_dup(comm, &copy));
  MUST(MPI_Comm_get_name(comm, name, &length));
  REQUIRE(strcmp(name, "mine") == 0 && length == 4, "the name is '%s'", name);
  int result = -1;
  MUST(MPI_Comm_compare(comm, copy, &result));
  REQUIRE(result == MPI_CONGRUENT, "a copy compares as %d", result);
  MUST(MPI_Comm_compare(comm, comm, &result));
  REQUIRE(result == MPI_IDENT, "a communicator compares with itself as %d", result);
  MUST(MPI_Comm_free(&copy));
  MUST(MPI_Comm_free(&comm));
}

void test_comm_attributes(void) {
  for (int i = 0; i < times(3); ++i) {
    context("comm_attributes: callbacks, repetition %d", i);
    check_attributes();
    context("comm_attributes: names, repetition %d", i);
    check_names();
  }
}

static int handled = 0, handled_code = MPI_SUCCESS;

static void handle(MPI_Comm* comm, int* code, ...) {
  (void)comm;
  handled_code = *code;
  ++handled;
}

static void refuse(int code, int wanted_class, const char* what) {
  int class = MPI_SUCCESS;
  REQUIRE(code != MPI_SUCCESS, "%s succeeded", what);
  MUST(MPI_Error_class(code, &class));
  REQUIRE(class == wanted_class || class == MPI_ERR_ARG || class == MPI_ERR_OTHER || known("error-classes"),
          "%s returned class %d instead of %d", what, class, wanted_class);
}

// Every call here is wrong at all ranks alike, so that no rank waits for another.
static void check_invalid(MPI_Comm comm) {
  int a[4] = {1, 2, 3, 4}, b[256];
  MPI_Request request = MPI_REQUEST_NULL;
  context("comm_errors: %s", "MPI_Bcast of -1 items");
  refuse(MPI_Bcast(a, -1, MPI_INT, 0, comm), MPI_ERR_COUNT, "MPI_Bcast of -1 items");
  context("comm_errors: %s", "MPI_Bcast of MPI_DATATYPE_NULL");
  refuse(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE, "MPI_Bcast of MPI_DATATYPE_NULL");
  context("comm_errors: %s", "MPI_Bcast from a root that is not there");
  refuse(MPI_Bcast(a, 1, MPI_INT, world_size + 3, comm), MPI_ERR_ROOT,
         "MPI_Bcast from a root that is not there");
  context("comm_errors: %s", "MPI_Bcast from root -5");
  refuse(MPI_Bcast(a, 1, MPI_INT, -5, comm), MPI_ERR_ROOT, "MPI_Bcast from root -5");
  context("comm_errors: %s", "MPI_Allreduce with MPI_OP_NULL");
  refuse(MPI_Allreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm), MPI_ERR_OP, "MPI_Allreduce with MPI_OP_NULL");
  context("comm_errors: %s", "MPI_Allreduce of -2 items");
  if (!known("allreduce-negative-count"))
    refuse(MPI_Allreduce(a, b, -2, MPI_INT, MPI_SUM, comm), MPI_ERR_COUNT, "MPI_Allreduce of -2 items");
  context("comm_errors: %s", "MPI_Reduce to root = size");
  refuse(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, world_size, comm), MPI_ERR_ROOT, "MPI_Reduce to root = size");
  context("comm_errors: %s", "MPI_Alltoall of no type");
  refuse(MPI_Alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm), MPI_ERR_TYPE, "MPI_Alltoall of no type");
  context("comm_errors: %s", "MPI_Gather of -3 items");
  refuse(MPI_Gather(a, -3, MPI_INT, b, 1, MPI_INT, 0, comm), MPI_ERR_COUNT, "MPI_Gather of -3 items");
  context("comm_errors: %s", "MPI_Ibcast of -1 items");
  refuse(MPI_Ibcast(a, -1, MPI_INT, 0, comm, &request), MPI_ERR_COUNT, "MPI_Ibcast of -1 items");
  context("comm_errors: %s", "MPI_Iallreduce with MPI_OP_NULL");
  refuse(MPI_Iallreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm, &request), MPI_ERR_OP,
         "MPI_Iallreduce with MPI_OP_NULL");
  context("comm_errors: %s", "MPI_Send to a rank that is not there");
  refuse(MPI_Send(a, 1, MPI_INT, world_size + 1, 0, comm), MPI_ERR_RANK,
         "MPI_Send to a rank that is not there");
  context("comm_errors: %s", "MPI_Send of -1 items");
  refuse(MPI_Send(a, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT, "MPI_Send of -1 items");
  context("comm_errors: %s", "MPI_Send with tag -9");
  refuse(MPI_Send(a, 1, MPI_INT, 0, -9, comm), MPI_ERR_TAG, "MPI_Send with tag -9");
}

void test_comm_errors(void) {
  MPI_Comm comm, copy;
  MPI_Errhandler handler, found;
  context("comm_errors: invalid arguments");
  MUST(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  MUST(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN));
  check_invalid(comm);
  context("comm_errors: a collective after errors");
  int one = 1, sum = 0;
  MUST(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
  REQUIRE(sum == world_size, "the sum is %d", sum);

  context("comm_errors: a handler of the program's own");
  MUST(MPI_Comm_create_errhandler(handle, &handler));
  MUST(MPI_Comm_set_errhandler(comm, handler));
  handled = 0;
  MPI_Bcast(&one, -1, MPI_INT, 0, comm);
  REQUIRE(handled == 1 && handled_code != MPI_SUCCESS, "the handler was called %d times, with code %d",
          handled, handled_code);
  MUST(MPI_Comm_dup(comm, &copy)); // inherits the handler
  MUST(MPI_Comm_get_errhandler(copy, &found));
  handled = 0;
  MPI_Bcast(&one, -1, MPI_INT, 0, copy);
  REQUIRE(handled == 1, "the inherited handler was called %d times", handled);
  MUST(MPI_Errhandler_free(&found));
  MUST(MPI_Errhandler_free(&handler));
  MUST(MPI_Comm_free(&copy));
  MUST(MPI_Comm_free(&comm));
}

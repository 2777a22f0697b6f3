/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays of objects whose elements belong to another language: thalweg.Array of Python stands on this.
 *
 * The caller defines elements and calls: bytes that its functions understand. Positions of elements, the
 * ways of calls, reductions, fences and checkpoints are as in thalweg/objects.hpp.
 *
 * Link with libthalweg-objects-openmpi or libthalweg-objects-mpich. */
#ifndef THALWEG_OBJECTS_FOREIGN_H
#define THALWEG_OBJECTS_FOREIGN_H

#include "thalweg/objects.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_foreign_array thalweg_foreign_array;

/* thalweg_foreign_functions: from interfaces/objects_foreign.toml */
/* Elements by their numbers, in the order of their indices. A function that fails calls
 * thalweg_foreign_fail(), and returns something else than 0. */
typedef struct thalweg_foreign_functions {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_foreign_functions));
  void* context THALWEG_DEFAULT(NULL);
  int (*make)(void* context, uint32_t element) THALWEG_DEFAULT(NULL);
  /* A call. THALWEG_OBJECTS_NOBODY: a message of thalweg_foreign_send(). The bytes are aligned to 16,
   * and valid during the call: see thalweg_foreign_keep(). */
  int (*run)(void* context, uint32_t element, uint32_t source, const void* arguments, size_t bytes)
      THALWEG_DEFAULT(NULL);
  /* Hands the element's bytes to thalweg_foreign_give(). */
  int (*pack)(void* context, uint32_t element) THALWEG_DEFAULT(NULL);
  int (*enter)(void* context, uint32_t element, const void* from, size_t bytes) THALWEG_DEFAULT(NULL);
  void (*leave)(void* context, uint32_t element) THALWEG_DEFAULT(NULL); /* it is not here any more */
  /* Hands two values made one to thalweg_foreign_give(). */
  int (*combine)(void* context, const void* one, size_t one_bytes, const void* other, size_t other_bytes)
      THALWEG_DEFAULT(NULL);
  /* All elements have contributed, and this one is given the result. */
  int (*reduced)(void* context, uint32_t element, const void* value, size_t bytes) THALWEG_DEFAULT(NULL);
  /* A message has failed, and none is left: calls and contributions are lost. Tasks that wait for them
   * are released, and elements count their contributions anew. */
  int (*begin_anew)(void* context) THALWEG_DEFAULT(NULL);
} thalweg_foreign_functions;
#define THALWEG_FOREIGN_FUNCTIONS_INIT                                                                       \
  { sizeof(thalweg_foreign_functions), NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL }
/* end of thalweg_foreign_functions */

/* thalweg_piece: from interfaces/objects_foreign.toml */
/* Arguments in several places; each piece is put at a multiple of 16 bytes. */
typedef struct thalweg_piece {
  const void* from;
  size_t bytes;
} thalweg_piece;
/* end of thalweg_piece */

/* Collective. `type` and `signature`: the same on all ranks; the first is for people and for checkpoints. */
#define thalweg_foreign_create(...) thalweg_foreign_create_for(THALWEG_HEADER_VERSION, __VA_ARGS__)
THALWEG_API thalweg_status thalweg_foreign_create_for(int header_version, MPI_Comm communicator,
                                                      const int64_t* shape, int dimensions, const char* type,
                                                      uint64_t signature,
                                                      const thalweg_foreign_functions* functions,
                                                      thalweg_foreign_array** array);
THALWEG_API thalweg_status thalweg_foreign_free(thalweg_foreign_array** array);
/* For thalweg_objects_finish(), _fence(), _progress() and _explain(). */
THALWEG_API thalweg_objects* thalweg_foreign_objects(thalweg_foreign_array* array);

/* `flags`: 0 or THALWEG_OBJECTS_URGENT. */
THALWEG_API thalweg_status thalweg_foreign_call(thalweg_foreign_array* array, uint32_t element,
                                                uint16_t flags, const thalweg_piece* pieces, size_t count);
THALWEG_API thalweg_status thalweg_foreign_broadcast(thalweg_foreign_array* array,
                                                     const thalweg_piece* pieces, size_t count);
THALWEG_API thalweg_status thalweg_foreign_section(thalweg_foreign_array* array, const uint32_t* elements,
                                                   size_t element_count, const thalweg_piece* pieces,
                                                   size_t count);
/* Collective: a call of the program by the array's elements, with a strategy of its own, as
 * thalweg_objects_associate() says. `association`: its number in the array, with which it ends. */
THALWEG_API thalweg_status thalweg_foreign_associate(thalweg_foreign_array* array, const char* strategy,
                                                     uint32_t* association);
/* Ends before the array: while no message runs, in the same order on all ranks. */
THALWEG_API thalweg_status thalweg_foreign_dissociate(thalweg_foreign_array* array, uint32_t association);
/* By an element whose call runs: the calls between are combined. */
THALWEG_API thalweg_status thalweg_foreign_begin(thalweg_foreign_array* array, uint32_t association);
THALWEG_API thalweg_status thalweg_foreign_end(thalweg_foreign_array* array, uint32_t association);
/* The same as _call() and _section() in the open bracket; `to`: the array, or another one of its
 * communicator. */
THALWEG_API thalweg_status thalweg_foreign_call_in(thalweg_foreign_array* array, uint32_t association,
                                                   thalweg_foreign_array* to, uint32_t element,
                                                   const thalweg_piece* pieces, size_t count);
THALWEG_API thalweg_status thalweg_foreign_section_in(thalweg_foreign_array* array, uint32_t association,
                                                      thalweg_foreign_array* to, const uint32_t* elements,
                                                      size_t element_count, const thalweg_piece* pieces,
                                                      size_t count);
/* To a rank, and none of its elements. */
THALWEG_API thalweg_status thalweg_foreign_send(thalweg_foreign_array* array, uint32_t rank,
                                                const thalweg_piece* pieces, size_t count);
THALWEG_API thalweg_status thalweg_foreign_migrate(thalweg_foreign_array* array, uint32_t element, int rank);
/* The rank where the element was, the last time that this rank heard of it. */
THALWEG_API int thalweg_foreign_rank_of(thalweg_foreign_array* array, uint32_t element);

/* By an element whose call runs. */
THALWEG_API thalweg_status thalweg_foreign_contribute(thalweg_foreign_array* array, const void* value,
                                                      size_t bytes);
/* Something of an element that is here waits, so that it cannot move; as often as it is released. */
THALWEG_API thalweg_status thalweg_foreign_hold(thalweg_foreign_array* array, uint32_t element);
THALWEG_API thalweg_status thalweg_foreign_release(thalweg_foreign_array* array, uint32_t element);

/* For the function of the caller that runs in this thread. */
THALWEG_API void thalweg_foreign_give(const void* from, size_t bytes);
THALWEG_API void thalweg_foreign_fail(const char* why);
/* The memory of the message that runs belongs to the caller from now on, who frees it by
 * thalweg_foreign_free_kept(). NULL: it is shared with other messages, and has to be copied. */
THALWEG_API void* thalweg_foreign_keep(thalweg_foreign_array* array);
THALWEG_API void thalweg_foreign_free_kept(void* memory);

#ifdef __cplusplus
}
#endif

#endif

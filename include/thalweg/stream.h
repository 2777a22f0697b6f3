/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: many small items to unpredictable ranks, put together on the way.
 *
 * A stream is made from an MPI communicator. Its ranks send items to each other, one by one; a handler is
 * called where they arrive. Items travel in buffers, along a virtual mesh of the ranks. They arrive at the
 * latest when the phase ends, which all ranks say by thalweg_stream_finish(). Items from one rank to another
 * arrive in the order in which they were sent.
 *
 * C++ programs include thalweg/stream.hpp, which inlines sending and handling. Failures are described in
 * thalweg/status.h. One thread at a time may use the streams of a process: thalweg_stream_lock(). A stream
 * has to be freed before MPI_Finalize().
 *
 * Link with libthalweg-stream-openmpi or libthalweg-stream-mpich. */
#ifndef THALWEG_STREAM_H
#define THALWEG_STREAM_H

#include "thalweg/request.h"
#include "thalweg/status.h"
#include "thalweg/stream_links.h"
#include "thalweg/version.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct thalweg_stream thalweg_stream;

/* thalweg_stream_options: from interfaces/stream.toml */
/* The same on all ranks. 0 and NULL: the best by Thalweg's judgment. */
typedef struct thalweg_stream_options {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_stream_options));
  size_t item_bytes THALWEG_DEFAULT(0);   /* of each item; 0: items differ, and mark their own ends */
  size_t buffer_bytes THALWEG_DEFAULT(0); /* of a buffer, of which a rank has one or a few for each peer */
  size_t memory_bytes THALWEG_DEFAULT(0); /* of all buffers of a rank; makes them smaller */
  /* "direct", or the sides of a mesh: "4x8", the dimension that is routed first in front */
  const char* shape THALWEG_DEFAULT(NULL);
  size_t max_pending_items THALWEG_DEFAULT(0); /* of one's own items that are in buffers not sent yet */
  /* of items that handlers have sent while no buffer was free; more is an error */
  size_t max_overflow_bytes THALWEG_DEFAULT(0);
  /* items that have waited in a buffer for so long are sent, when progress is made */
  unsigned period_us THALWEG_DEFAULT(0);
} thalweg_stream_options;
#define THALWEG_STREAM_OPTIONS_INIT                                                                          \
  { sizeof(thalweg_stream_options), 0, 0, 0, NULL, 0, 0, 0 }
/* end of thalweg_stream_options */

/* thalweg_stream_statistics: from interfaces/stream.toml */
/* Counters of a rank's end of a stream. Sent items are its own, and those of others on their way. */
typedef struct thalweg_stream_statistics {
  size_t size THALWEG_DEFAULT(sizeof(thalweg_stream_statistics));
  uint64_t buffers_full;    /* sent because they were full, */
  uint64_t buffers_flushed; /* by thalweg_stream_flush(), */
  uint64_t buffers_waited;  /* after a period, */
  uint64_t buffers_closed;  /* or at the end of a phase, many of them empty */
  uint64_t near_bytes;      /* of items and tags sent to ranks of this node, oneself included */
  uint64_t far_bytes;       /* sent to ranks of other nodes */
  uint64_t buffer_bytes;    /* that the buffers which were not empty could have held of these */
  uint64_t far_messages;    /* to ranks of other nodes, those included that only help to end phases */
  uint64_t hops;            /* items that were sent, as often as they were; 0 if items differ in size */
  uint64_t delivered_bytes; /* of items for this rank that have been handled */
  uint64_t delivered_items; /* 0 if items differ in size */
  uint64_t waits;           /* for a free buffer */
  uint64_t waited_ns;       /* the time of these, in which items that arrive are handled */
  uint64_t finish_ns;       /* from the calls that finish phases to the ends of these */
  uint64_t duration_ns;     /* since the stream was made, or since the phase before has ended */
  uint64_t waves;           /* of closing marks: one ends a phase, unless handlers send */
  uint64_t phases;
  uint64_t max_overflow_bytes; /* of items that handlers have sent while no buffer was free */
  uint64_t max_memory_bytes;   /* of all buffers that have been used, and of the overflow */
} thalweg_stream_statistics;
#define THALWEG_STREAM_STATISTICS_INIT                                                                       \
  { sizeof(thalweg_stream_statistics), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }
/* end of thalweg_stream_statistics */

/* Collective. The communicator is duplicated, and may be freed. */
#define thalweg_stream_create(...) thalweg_stream_create_for(THALWEG_HEADER_VERSION, __VA_ARGS__)
THALWEG_API thalweg_status thalweg_stream_create_for(int header_version, MPI_Comm communicator,
                                                     const thalweg_stream_options* options,
                                                     const thalweg_stream_handler* handler,
                                                     thalweg_stream** stream);
/* Frees the stream and sets it to NULL; NULL is left alone. Not collective, but all ranks do it before MPI
 * ends. Items of a phase that has not ended are lost. */
THALWEG_API thalweg_status thalweg_stream_free(thalweg_stream** stream);

/* Never changes as long as there is the stream; how to use it is said in thalweg/stream_links.h. */
THALWEG_API thalweg_stream_view* thalweg_stream_view_of(thalweg_stream* stream);
/* Fails: the stream has no such rank. */
THALWEG_API thalweg_status thalweg_stream_no_rank(const thalweg_stream* stream, int rank);

/* Sends an item of item_bytes bytes. May call handlers, unless it is called in one. */
THALWEG_API thalweg_status thalweg_stream_send(thalweg_stream* stream, int rank, const void* item);
/* Item i of an array goes to ranks[i]. Fails on the first rank that there is not, and has sent nothing then;
 * where there is no place for an item, those before it have been sent. */
THALWEG_API thalweg_status thalweg_stream_send_many(thalweg_stream* stream, size_t count, const int* ranks,
                                                    const void* items);
/* All items of an array go to one rank. */
THALWEG_API thalweg_status thalweg_stream_send_many_to(thalweg_stream* stream, int rank, size_t count,
                                                       const void* items);
/* Sends the contents of buffers, without waiting for their arrival. */
THALWEG_API thalweg_status thalweg_stream_flush(thalweg_stream* stream);
/* Handles items that have arrived, for all streams of the process, and sends those that have waited for
 * long. For programs that compute long between two items. */
THALWEG_API thalweg_status thalweg_stream_progress(thalweg_stream* stream);
/* Waits until reached(context) is not 0, and meanwhile takes in arriving items. The function asks again
 * and again: at first at once, later now and then, or when an item arrives. If none does, buffers are
 * sent. Fails in a handler. Meant for schedulers of arriving items. */
THALWEG_API thalweg_status thalweg_stream_wait(thalweg_stream* stream, int (*reached)(void* context),
                                               void* context);

/* For several threads: whoever uses the process's streams while others do holds this lock, which is one for
 * all of them, and may be held several times by one thread. Fails where MPI was not initialized for that,
 * with MPI_THREAD_SERIALIZED or more. */
THALWEG_API thalweg_status thalweg_stream_lock(thalweg_stream* stream);
THALWEG_API void thalweg_stream_unlock(thalweg_stream* stream);

/* Ends the phase. Collective: returns when all items of all ranks have been handled, those included that
 * handlers sent. Then the next phase may begin. Fails on all ranks where a handler has failed on one. */
THALWEG_API thalweg_status thalweg_stream_finish(thalweg_stream* stream);
/* The same in two parts. Until the request has finished only handlers may send. If the stream is freed
 * before, the request fails. */
THALWEG_API thalweg_status thalweg_stream_start_finish(thalweg_stream* stream, thalweg_request** request);

/* Since the stream was made. */
THALWEG_API thalweg_status thalweg_stream_read_statistics(const thalweg_stream* stream,
                                                          thalweg_stream_statistics* statistics);
/* Of the phase that has ended last; all are 0 where none has. */
THALWEG_API thalweg_status thalweg_stream_read_phase_statistics(const thalweg_stream* stream,
                                                                thalweg_stream_statistics* statistics);
/* The stream's name in the report of `thalweg run`, instead of the call that makes it; at most 200 bytes
 * of it. */
THALWEG_API thalweg_status thalweg_stream_set_name(thalweg_stream* stream, const char* name);
/* Further text about the stream in that report, in lines: the first rank's, at most 8,000 bytes of them.
 * The lines replace earlier ones. */
THALWEG_API thalweg_status thalweg_stream_set_remarks(thalweg_stream* stream, const char* lines);
/* For owners of streams that even loads out, as objects do at fences: the nanoseconds of work that this rank
 * had since the last time, and how many tasks then left it and came. `number` counts these times, and is the
 * same on all ranks. The report has the first 16 and the last 16 of them. */
THALWEG_API thalweg_status thalweg_stream_add_load(thalweg_stream* stream, uint64_t number, uint64_t load_ns,
                                                   uint64_t left, uint64_t entered);
/* Its mesh, "direct" or "4x8": static text, valid as long as the stream. If no shape was asked for, the
 * mesh may change between two phases. */
THALWEG_API const char* thalweg_stream_shape(const thalweg_stream* stream);
/* The reasons for this mesh: a line for each candidate, with the model's prediction for a phase and the
 * measured time. Valid until the next call of this function for the stream. The same on all ranks. */
THALWEG_API const char* thalweg_stream_explain(thalweg_stream* stream);

#ifdef __cplusplus
}
#endif

#endif

// The C interface (thalweg/stream.h) over StreamJob.

#include "boundary/guarded.hpp"
#include "boundary/request.hpp"
#include "job/linked/mpi_state.hpp"
#include "stream/linked/stream_job.hpp"
#include "stream/plain_items.hpp"
#include "thalweg/stream.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <span>
#include <string>

using thalweg::Error;
using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::job::mpi_must_run;
using thalweg::streams::ItemStream;
using thalweg::streams::PlainItems;
using thalweg::streams::Reason;
using thalweg::streams::Statistics;
using thalweg::streams::StreamJob;

struct thalweg_stream {
  thalweg_stream(MPI_Comm communicator, const thalweg_stream_options& options,
                 const thalweg_stream_handler& handler)
      : items(handler, options.item_bytes), job(communicator, options, items.handler()) {
    items.attach(job.stream());
  }
  PlainItems items;
  StreamJob job;
  std::string explanation;
  std::shared_ptr<StreamJob*> alive = std::make_shared<StreamJob*>(&job); ///< for requests
};

namespace {

Caller caller(std::string_view call, const thalweg_stream* stream) {
  if (stream == nullptr)
    return {.call = call};
  return {.call = call, .rank = stream->job.group().rank(), .ranks = stream->job.group().ranks()};
}

StreamJob& of(thalweg_stream* stream) {
  if (stream == nullptr)
    throw Error("there is no stream (NULL)", "thalweg_stream_create() makes one");
  return stream->job;
}

void check_rank(const thalweg_stream& stream, int rank) {
  if (rank < 0 || rank >= stream.job.group().ranks())
    throw Error(fmt::format("an item for rank {}", rank),
                fmt::format("the stream has ranks 0 to {}", stream.job.group().ranks() - 1));
}

void check_ranks(const thalweg_stream& stream, std::span<const int> ranks) {
  const auto count = static_cast<std::uint32_t>(stream.job.group().ranks());
  const auto bad =
      std::ranges::find_if(ranks, [count](int rank) { return static_cast<std::uint32_t>(rank) >= count; });
  if (bad != ranks.end())
    check_rank(stream, *bad);
}

PlainItems& items_of(thalweg_stream* stream) {
  if (of(stream).item_bytes() == 0)
    throw Error("an item of a stream whose items differ in size", "give item_bytes when the stream is made");
  return stream->items;
}

/// A phase that is ending.
class FinishRequest final : public thalweg_request {
public:
  explicit FinishRequest(const thalweg_stream& stream)
      : thalweg_request(stream.job.group().rank(), stream.job.group().ranks()), stream_(stream.alive) {}
  bool test() override { return stream().test_finish(); }
  void wait() override {
    if (stream().is_finishing())
      stream().finish();
  }

private:
  ItemStream& stream() const {
    mpi_must_run();
    const std::shared_ptr<StreamJob*> job = stream_.lock();
    if (!job)
      throw Error("its stream was freed before the phase had ended", "wait for the request first");
    return (*job)->stream();
  }
  std::weak_ptr<StreamJob*> stream_;
};

// Progress of one stream is that of all.
std::recursive_mutex& lock_of_process() {
  static std::recursive_mutex mutex;
  return mutex;
}

} // namespace

extern "C" {

thalweg_status thalweg_stream_create(MPI_Comm communicator, const thalweg_stream_options* options,
                                     const thalweg_stream_handler* handler, thalweg_stream** stream) {
  return guarded({.call = "create"}, [&] {
    must_be_given(stream, "stream");
    must_be_given(options, "options");
    must_be_given(handler, "handler");
    StreamJob::no_handler_may_run("a handler makes a stream");
    *stream = new thalweg_stream(communicator, *options, *handler);
  });
}

thalweg_status thalweg_stream_free(thalweg_stream** stream) {
  return guarded(caller("free", stream == nullptr ? nullptr : *stream), [&] {
    must_be_given(stream, "stream");
    if (*stream == nullptr)
      return;
    mpi_must_run();
    StreamJob::no_handler_may_run("a handler frees a stream");
    delete *stream;
    *stream = nullptr;
  });
}

thalweg_stream_view* thalweg_stream_view_of(thalweg_stream* stream) {
  return stream == nullptr ? nullptr : stream->job.stream().view();
}

thalweg_status thalweg_stream_no_rank(const thalweg_stream* stream, int rank) {
  return guarded(caller("send", stream), [&] {
    must_be_given(stream, "stream");
    check_rank(*stream, rank);
  });
}

thalweg_status thalweg_stream_send(thalweg_stream* stream, int rank, const void* item) {
  return thalweg_stream_send_many(stream, 1, &rank, item);
}

thalweg_status thalweg_stream_send_many(thalweg_stream* stream, size_t count, const int* ranks,
                                        const void* items) {
  return guarded(caller("send", stream), [&] {
    PlainItems& plain = items_of(stream);
    if (count == 0)
      return;
    must_be_given(ranks, "ranks");
    must_be_given(items, "item");
    check_ranks(*stream, {ranks, count});
    plain.send({ranks, count}, static_cast<const char*>(items));
  });
}

thalweg_status thalweg_stream_send_many_to(thalweg_stream* stream, int rank, size_t count,
                                           const void* items) {
  return guarded(caller("send", stream), [&] {
    PlainItems& plain = items_of(stream);
    check_rank(*stream, rank);
    if (count == 0)
      return;
    must_be_given(items, "item");
    plain.send(rank, {static_cast<const char*>(items), count * plain.item_bytes()});
  });
}

thalweg_status thalweg_stream_flush(thalweg_stream* stream) {
  return guarded(caller("flush", stream), [&] { of(stream).stream().flush(); });
}

thalweg_status thalweg_stream_progress(thalweg_stream* stream) {
  return guarded(caller("progress", stream), [&] {
    ItemStream& items = of(stream).stream();
    if (!items.progress())
      items.looked_in_vain();
  });
}

thalweg_status thalweg_stream_lock(thalweg_stream* stream) {
  return guarded(caller("lock", stream), [&] {
    must_be_given(stream, "stream");
    mpi_must_run();
    int provided = MPI_THREAD_SINGLE;
    MPI_Query_thread(&provided);
    if (provided < MPI_THREAD_SERIALIZED)
      throw Error("several threads, for which MPI was not initialized",
                  "call MPI_Init_thread() with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
    lock_of_process().lock();
  });
}

void thalweg_stream_unlock(thalweg_stream*) {
  lock_of_process().unlock();
}

thalweg_status thalweg_stream_finish(thalweg_stream* stream) {
  return guarded(caller("finish", stream), [&] {
    mpi_must_run();
    of(stream).stream().finish();
  });
}

thalweg_status thalweg_stream_start_finish(thalweg_stream* stream, thalweg_request** request) {
  return guarded(caller("start_finish", stream), [&] {
    must_be_given(request, "request");
    mpi_must_run();
    of(stream).stream().start_finish();
    *request = new FinishRequest(*stream);
  });
}

thalweg_status thalweg_stream_read_statistics(const thalweg_stream* stream,
                                              thalweg_stream_statistics* statistics) {
  return guarded(caller("read_statistics", stream), [&] {
    must_be_given(stream, "stream");
    must_be_given(statistics, "statistics");
    const Statistics& done = stream->job.stream().statistics();
    const auto sent = [&](Reason reason) { return done.slots[static_cast<std::size_t>(reason)]; };
    *statistics = {.buffers_full = sent(Reason::full),
                   .buffers_flushed = sent(Reason::flush),
                   .buffers_waited = sent(Reason::waited),
                   .buffers_closed = sent(Reason::finish),
                   .near_bytes = done.near_bytes,
                   .far_bytes = done.far_bytes,
                   .delivered_bytes = done.delivered_bytes,
                   .waits = done.waits,
                   .waves = done.waves,
                   .phases = done.phases,
                   .max_overflow_bytes = done.max_overflow_bytes};
  });
}

const char* thalweg_stream_shape(const thalweg_stream* stream) {
  return stream == nullptr ? "" : stream->job.meshes().shape();
}

const char* thalweg_stream_explain(thalweg_stream* stream) {
  if (stream == nullptr)
    return "";
  stream->explanation = thalweg::streams::explain(stream->job.meshes());
  return stream->explanation.c_str();
}

} // extern "C"

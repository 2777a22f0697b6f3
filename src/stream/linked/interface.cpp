// The C interface (thalweg/stream.h) over StreamJob.

#include "boundary/guarded.hpp"
#include "boundary/request.hpp"
#include "job/linked/mpi_state.hpp"
#include "stream/linked/stream_job.hpp"
#include "thalweg/stream.h"
#include "thalweg/stream_items.hpp"

#include <fmt/format.h>

using thalweg::Error;
using thalweg::boundary::Caller;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::job::mpi_must_run;
using thalweg::streams::ItemStream;
using thalweg::streams::Reason;
using thalweg::streams::Statistics;
using thalweg::streams::StreamJob;

struct thalweg_stream {
  StreamJob job;
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

/// A phase that is ending. The stream has to live as long.
class FinishRequest final : public thalweg_request {
public:
  explicit FinishRequest(StreamJob& job)
      : thalweg_request(job.group().rank(), job.group().ranks()), stream_(job.stream()) {}
  bool test() override {
    mpi_must_run();
    return stream_.test_finish();
  }
  void wait() override {
    mpi_must_run();
    if (stream_.is_finishing())
      stream_.finish();
  }

private:
  ItemStream& stream_;
};

void put(thalweg_stream& stream, int rank, const char* item) {
  thalweg_stream_view& view = *stream.job.stream().view();
  const auto number = static_cast<std::uint32_t>(rank);
  const auto next = thalweg::detail::next_hop(view, view.cells == nullptr ? number : view.cells[number], 0);
  const std::size_t tag_bytes = next.is_last ? 0 : view.tag_bytes;
  const std::size_t bytes = stream.job.item_bytes();
  thalweg_stream_link* open = &view.links[next.link];
  if (static_cast<std::size_t>(open->end - open->next) < tag_bytes + bytes) {
    stream.job.stream().refill(next.link, tag_bytes + bytes);
    open = &view.links[next.link];
  }
  const auto narrow = static_cast<std::uint16_t>(next.tag);
  std::memcpy(open->next, tag_bytes == sizeof narrow ? static_cast<const void*>(&narrow) : &next.tag,
              tag_bytes);
  std::memcpy(open->next + tag_bytes, item, bytes);
  open->next += tag_bytes + bytes;
  view.has_sent = 1;
}

} // namespace

extern "C" {

thalweg_status thalweg_stream_create(MPI_Comm communicator, const thalweg_stream_options* options,
                                     const thalweg_stream_handler* handler, thalweg_stream** stream) {
  return guarded({.call = "create"}, [&] {
    must_be_given(stream, "stream");
    must_be_given(options, "options");
    must_be_given(handler, "handler");
    *stream = new thalweg_stream{StreamJob(communicator, *options, *handler)};
  });
}

thalweg_status thalweg_stream_free(thalweg_stream** stream) {
  return guarded(caller("free", stream == nullptr ? nullptr : *stream), [&] {
    must_be_given(stream, "stream");
    if (*stream == nullptr)
      return;
    mpi_must_run();
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
  return guarded(caller("send", stream), [&] {
    if (of(stream).item_bytes() == 0)
      throw Error("an item of a stream whose items differ in size",
                  "give item_bytes when the stream is made");
    must_be_given(item, "item");
    check_rank(*stream, rank);
    put(*stream, rank, static_cast<const char*>(item));
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
    StreamJob& job = of(stream);
    job.stream().start_finish();
    *request = new FinishRequest(job);
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
  return stream == nullptr ? "" : stream->job.shape().c_str();
}

} // extern "C"

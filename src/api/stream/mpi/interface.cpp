// SPDX-License-Identifier: BSD-3-Clause

// The C interface (thalweg/stream.h) over StreamJob.

#include "boundary/request.hpp"
#include "boundary/sized.hpp"
#include "job/library/mpi_library.hpp"
#include "stream/mpi/attachment.hpp"
#include "stream/mpi/handle.hpp"
#include "stream/mpi/structures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <mutex>
#include <span>
#include <string>

using thalweg::Error;
using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::boundary::sized;
using thalweg::job::mpi_must_run;
using thalweg::streams::Call;
using thalweg::streams::caller;
using thalweg::streams::ItemStream;
using thalweg::streams::PlainItems;
using thalweg::streams::StreamJob;

namespace {

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
  return stream->plain;
}

/// Makes the call that may end a phase, which it does also where it fails.
template <typename Finishing>
bool finish(thalweg_stream& stream, Finishing finishing) {
  const Call call;
  struct AtEnd {
    thalweg_stream& stream;
    ~AtEnd() {
      if (!stream.items().is_finishing())
        stream.phase_has_ended();
    }
  } const at_end{stream};
  return finishing(stream.items());
}

/// A phase that is ending.
class FinishRequest final : public thalweg_request {
public:
  explicit FinishRequest(const thalweg_stream& stream)
      : thalweg_request(stream.job.group().rank(), stream.job.group().ranks()), stream_(stream.alive) {}
  bool test() override {
    return finish(stream(), [](ItemStream& items) { return items.test_finish(); });
  }
  void wait() override {
    finish(stream(), [](ItemStream& items) {
      if (items.is_finishing())
        items.finish();
      return true;
    });
  }

private:
  thalweg_stream& stream() const {
    mpi_must_run();
    const std::shared_ptr<thalweg_stream*> stream = stream_.lock();
    if (!stream)
      throw Error("its stream was freed before the phase had ended", "wait for the request first");
    return **stream;
  }
  std::weak_ptr<thalweg_stream*> stream_;
};

/// Does the work of a C function that uses streams.
template <typename Work>
thalweg_status in_call(const char* name, const thalweg_stream* stream, Work work) {
  const Call call;
  return guarded(caller(name, stream), work);
}

} // namespace

extern "C" {

THALWEG_API thalweg_status(thalweg_stream_create)();
// What programs call that were compiled when headers did not tell their version.
thalweg_status(thalweg_stream_create)() {
  return guarded({.call = "create"}, thalweg::boundary::refuse_first_version);
}

thalweg_status thalweg_stream_create_for(int header_version, MPI_Comm communicator,
                                         const thalweg_stream_options* options,
                                         const thalweg_stream_handler* handler, thalweg_stream** stream) {
  const void* const site = __builtin_return_address(0);
  return in_call("create", nullptr, [&] {
    thalweg::boundary::must_fit(header_version);
    must_be_given(stream, "stream");
    must_be_given(options, "options");
    must_be_given(handler, "handler");
    StreamJob::no_handler_may_run("a handler makes a stream");
    auto made = std::make_unique<thalweg_stream>(communicator, sized(*options), sized(*handler), site);
    thalweg::streams::attach(*made);
    *stream = made.release();
  });
}

thalweg_status thalweg_stream_free(thalweg_stream** stream) {
  return in_call("free", stream == nullptr ? nullptr : *stream, [&] {
    must_be_given(stream, "stream");
    if (*stream == nullptr)
      return;
    mpi_must_run();
    StreamJob::no_handler_may_run("a handler frees a stream");
    thalweg::streams::detach(**stream);
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
  return in_call("send", stream, [&] {
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
  return in_call("send", stream, [&] {
    PlainItems& plain = items_of(stream);
    check_rank(*stream, rank);
    if (count == 0)
      return;
    must_be_given(items, "item");
    plain.send(rank, {static_cast<const char*>(items), count * plain.item_bytes()});
  });
}

thalweg_status thalweg_stream_flush(thalweg_stream* stream) {
  return in_call("flush", stream, [&] { of(stream).stream().flush(); });
}

thalweg_status thalweg_stream_progress(thalweg_stream* stream) {
  return in_call("progress", stream, [&] {
    ItemStream& items = of(stream).stream();
    if (!items.progress())
      items.looked_in_vain();
  });
}

thalweg_status thalweg_stream_wait(thalweg_stream* stream, int (*reached)(void* context), void* context) {
  return in_call("wait", stream, [&] {
    must_be_given(reinterpret_cast<const void*>(reached), "reached");
    of(stream).stream().wait_for([&] { return reached(context) != 0; });
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
    thalweg::streams::process_lock().lock();
  });
}

void thalweg_stream_unlock(thalweg_stream*) {
  thalweg::streams::process_lock().unlock();
}

thalweg_status thalweg_stream_finish(thalweg_stream* stream) {
  return guarded(caller("finish", stream), [&] {
    mpi_must_run();
    of(stream);
    finish(*stream, [](ItemStream& items) {
      items.finish();
      return true;
    });
  });
}

thalweg_status thalweg_stream_start_finish(thalweg_stream* stream, thalweg_request** request) {
  return in_call("start_finish", stream, [&] {
    must_be_given(request, "request");
    mpi_must_run();
    of(stream).stream().start_finish();
    *request = new FinishRequest(*stream);
  });
}

} // extern "C"

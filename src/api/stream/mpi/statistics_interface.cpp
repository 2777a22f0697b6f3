// SPDX-License-Identifier: BSD-3-Clause

// The C interface's functions that tell what a stream has done.

#include "stream/mpi/handle.hpp"
#include "stream/mpi/structures.hpp"

#include <cstring>

using thalweg::boundary::guarded;
using thalweg::boundary::must_be_given;
using thalweg::streams::caller;
using thalweg::streams::Reason;
using thalweg::streams::Statistics;

namespace {

void write(const thalweg_stream& stream, const Statistics& done, thalweg_stream_statistics* statistics) {
  must_be_given(statistics, "statistics");
  const std::size_t item_bytes = stream.job.item_bytes();
  const auto sent = [&](Reason reason) { return done.slots[static_cast<std::size_t>(reason)]; };
  const thalweg_stream_statistics all{.buffers_full = sent(Reason::full),
                                      .buffers_flushed = sent(Reason::flush),
                                      .buffers_waited = sent(Reason::waited),
                                      .buffers_closed = sent(Reason::finish),
                                      .near_bytes = done.near_bytes,
                                      .far_bytes = done.far_bytes,
                                      .buffer_bytes = done.slot_bytes,
                                      .far_messages = done.far_messages,
                                      .hops = done.hops,
                                      .delivered_bytes = done.delivered_bytes,
                                      .delivered_items =
                                          item_bytes == 0 ? 0 : done.delivered_bytes / item_bytes,
                                      .waits = done.waits,
                                      .waited_ns = done.waited_ns,
                                      .finish_ns = done.finish_ns,
                                      .duration_ns = done.duration_ns,
                                      .waves = done.waves,
                                      .phases = done.phases,
                                      .max_overflow_bytes = done.max_overflow_bytes,
                                      .max_memory_bytes = done.max_memory_bytes};
  thalweg::boundary::give_result(all, statistics);
}

} // namespace

extern "C" {

thalweg_status thalweg_stream_read_statistics(const thalweg_stream* stream,
                                              thalweg_stream_statistics* statistics) {
  return guarded(caller("read_statistics", stream), [&] {
    must_be_given(stream, "stream");
    write(*stream, stream->job.stream().statistics(), statistics);
  });
}

thalweg_status thalweg_stream_read_phase_statistics(const thalweg_stream* stream,
                                                    thalweg_stream_statistics* statistics) {
  return guarded(caller("read_phase_statistics", stream), [&] {
    must_be_given(stream, "stream");
    write(*stream, stream->job.stream().phases().last(), statistics);
  });
}

thalweg_status thalweg_stream_set_name(thalweg_stream* stream, const char* name) {
  return guarded(caller("set_name", stream), [&] {
    must_be_given(stream, "stream");
    must_be_given(name, "name");
    constexpr std::size_t max_bytes = 200;
    stream->name.assign(name, strnlen(name, max_bytes));
  });
}

thalweg_status thalweg_stream_set_remarks(thalweg_stream* stream, const char* lines) {
  return guarded(caller("set_remarks", stream), [&] {
    must_be_given(stream, "stream");
    must_be_given(lines, "lines");
    constexpr std::size_t max_bytes = 8000;
    stream->remarks.assign(lines, strnlen(lines, max_bytes));
  });
}

thalweg_status thalweg_stream_add_load(thalweg_stream* stream, uint64_t number, uint64_t load_ns,
                                       uint64_t left, uint64_t entered) {
  return guarded(caller("add_load", stream), [&] {
    must_be_given(stream, "stream");
    stream->loads.add({.number = number, .load_ns = load_ns, .left = left, .entered = entered});
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

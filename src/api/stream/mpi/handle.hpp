// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What thalweg_stream of the C interface is, and what its functions begin with.

#include "boundary/guarded.hpp"
#include "stream/mpi/calls.hpp"
#include "stream/mpi/stream_job.hpp"
#include "stream/plain_items.hpp"
#include "thalweg/stream.h"

#include <memory>
#include <string>

struct thalweg_stream {
  /// `site`: the place in the program that makes it.
  thalweg_stream(MPI_Comm communicator, const thalweg_stream_options& options,
                 const thalweg_stream_handler& handler, const void* site);
  thalweg_stream(const thalweg_stream&) = delete;
  thalweg_stream& operator=(const thalweg_stream&) = delete;

  thalweg::streams::ItemStream& items() { return job.stream(); }
  /// From here on, until the program uses a stream again, its data are its own.
  void phase_has_ended() { ended_at = thalweg::streams::Call::count(); }
  bool is_used() const { return thalweg::streams::Call::count() != ended_at; }

  thalweg::streams::PlainItems plain;
  thalweg::streams::StreamJob job;
  std::shared_ptr<thalweg_stream*> alive = std::make_shared<thalweg_stream*>(this); ///< for requests
  const void* site;
  std::string name;
  std::string remarks; ///< lines
  std::string explanation;
  std::uint64_t id = 0; ///< the same on all ranks
  std::uint64_t ended_at = 0;
};

namespace thalweg::streams {

inline boundary::Caller caller(std::string_view call, const thalweg_stream* stream) {
  if (stream == nullptr)
    return {.call = call};
  return {.call = call, .rank = stream->job.group().rank(), .ranks = stream->job.group().ranks()};
}

} // namespace thalweg::streams

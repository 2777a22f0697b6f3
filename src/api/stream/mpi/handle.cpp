// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/handle.hpp"

#include "base/assertion.hpp"

#include <unistd.h>

using thalweg::streams::Call;

namespace {

using Refill = decltype(thalweg_stream_view::refill);
using Hurry = decltype(thalweg_stream_view::hurry);
constinit Refill refill_of_library = nullptr; // the same functions for all streams
constinit Hurry hurry_of_library = nullptr;

// What programs inline comes in here where a link has no place left.
int refill(void* stream, std::uint32_t link, std::size_t bytes) {
  THALWEG_ASSERT(light, refill_of_library != nullptr);
  const Call call;
  return refill_of_library(stream, link, bytes);
}

int hurry(void* stream, std::uint32_t link, int at_once) {
  const Call call;
  return hurry_of_library(stream, link, at_once);
}

// By which rank 0 of MPI_COMM_WORLD tells streams apart, whose ranks it does not know.
std::uint64_t new_id() {
  constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15U;
  return thalweg::wait::System::now_ns() * golden_ratio ^ static_cast<std::uint64_t>(getpid());
}

} // namespace

thalweg_stream::thalweg_stream(MPI_Comm communicator, const thalweg_stream_options& options,
                               const thalweg_stream_handler& handler, const void* made_at)
    : plain(handler, options.item_bytes), job(communicator, options, plain.handler()), site(made_at),
      id(new_id()) {
  plain.attach(items());
  refill_of_library = std::exchange(items().view()->refill, refill);
  hurry_of_library = std::exchange(items().view()->hurry, hurry);
  job.group().agreement(job.group().channels().policy()).broadcast(id);
  phase_has_ended();
}

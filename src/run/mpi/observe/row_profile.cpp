// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/row_profile.hpp"

#include <utility>

namespace thalweg::mpi::observe {

CallProfile row_profile(const CallRow& row, std::string function, const Location& location,
                        double ns_per_tick) {
  CallProfile call;
  call.function = std::move(function);
  call.location = location;
  call.phase = row.key.phase;
  call.ranks = row.key.ranks;
  call.calls = row.calls;
  call.bytes = row.bytes;
  call.blocks = row.blocks;
  if (row.timed_calls > 0) {
    const double scale = static_cast<double>(row.calls) / static_cast<double>(row.timed_calls);
    call.ns = static_cast<double>(row.timed_ticks) * ns_per_tick * scale;
  }
  call.max_call_ns = static_cast<double>(row.max_call_ticks) * ns_per_tick;
  call.cpu_ns = call.ns * row.cpu_share.share(ns_per_tick);
  return call;
}

} // namespace thalweg::mpi::observe

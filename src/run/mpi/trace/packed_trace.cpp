// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/trace/packed_trace.hpp"

#include <nlohmann/json.hpp>

namespace thalweg::mpi {

using nlohmann::json;

std::vector<std::uint8_t> pack(const PackedTrace& trace) {
  return json::to_msgpack({trace.lines, trace.lacks, trace.calls, trace.is_cut});
}

PackedTrace unpack_trace(std::span<const std::uint8_t> packed) {
  const json all = json::from_msgpack(packed.begin(), packed.end());
  return {all.at(0), all.at(1), all.at(2), all.at(3)};
}

} // namespace thalweg::mpi

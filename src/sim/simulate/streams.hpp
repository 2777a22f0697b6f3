// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs of streams: ranks that send items to all others, in buffers over a virtual mesh (topology's
// virtual_mesh.hpp; Wesolowski and others 2014, "TRAM"; docs/streams.md).

#include "simulate/goal_reader.hpp"

#include <vector>

namespace thalweg::simulate {

struct StreamLoad {
  std::vector<std::int32_t> sides; ///< of the mesh: as topology::VirtualMesh takes them
  std::int64_t items = 0;          ///< that each rank sends, equally many to each rank
  std::int64_t item_bytes = 8;
  std::int64_t tag_bytes = 2;        ///< what an item has on top as long as it is not on its last way
  std::int64_t buffer_bytes = 16384; ///< a buffer is sent when it is so full
  double item_nanoseconds = 1;       ///< of a processor, to put an item into a buffer, or to take it out
};

/// The program of `ranks` ranks. A rank makes items as fast as it can, and sends its buffers of a dimension
/// when they are full; those of later dimensions when so much has come that they are. The ends of buffers are
/// those of the mean: each rank sends to all alike. Throws Error for sides that hold no such mesh, and for
/// numbers below 1, or that make too large a program.
Program stream_program(std::int64_t ranks, const StreamLoad& load, const CostBetween& cost);

} // namespace thalweg::simulate

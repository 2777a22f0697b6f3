// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a stream has for one mesh: routes, memory, and messages to other nodes. A stream may go from one to
// another between two phases (stream/choosing.hpp).

#include "stream/item_route.hpp"
#include "stream/node_memory.hpp"
#include "stream/remote.hpp"

#include <cstddef>
#include <cstdint>

namespace thalweg::streams {

struct Mesh {
  ItemRoute route;
  NodeMemory memory;
  std::byte* base = nullptr;            ///< of the node's memory: as `memory` says
  Remote* remote = nullptr;             ///< null where all ranks are near
  const std::uint32_t* cells = nullptr; ///< of ranks; null where rank r is cell r
  std::uint32_t fill_bytes = 0;         ///< when a slot is full; at most what it holds
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause

// What ItemStream has done, as far as it is not counted while it happens.

#include "stream/item_stream.hpp"

#include <algorithm>

namespace thalweg::streams {

// And not what the ranks tell each other at the end of a phase.
bool ItemStream::carries_items(const Slot& slot) const {
  return slot.head.dimension < mesh_.route.dimensions() && (slot.head.flags & SlotHead::has_failed) == 0;
}

// In use for this mesh, as far as it was touched.
std::size_t ItemStream::memory_bytes() const {
  std::size_t bytes = mesh_.remote == nullptr ? 0 : mesh_.remote->memory_bytes();
  for (const SlotPool& pool : pools_)
    bytes += pool.touched() * mesh_.memory.stride();
  return bytes;
}

void ItemStream::complete(Statistics& done, std::uint64_t now_ns) const {
  done.duration_ns = now_ns - phase_began_ns_;
  done.delivered_bytes += view_.delivered_bytes;
  done.max_memory_bytes = std::max(done.max_memory_bytes, memory_bytes()) + done.max_overflow_bytes;
}

Statistics ItemStream::statistics() const {
  Statistics open = statistics_;
  complete(open, wait::System::now_ns());
  Statistics all = history_.total();
  return all += open;
}

} // namespace thalweg::streams

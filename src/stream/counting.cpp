// What ItemStream has done, as far as it is not counted while it happens.

#include "stream/item_stream.hpp"

namespace thalweg::streams {

void ItemStream::complete(Statistics& done, std::uint64_t now_ns) const {
  done.duration_ns = now_ns - phase_began_ns_;
  done.delivered_bytes += view_.delivered_bytes;
  done.max_memory_bytes =
      done.max_overflow_bytes + (fabric_.remote == nullptr ? 0 : fabric_.remote->memory_bytes());
  for (const SlotPool& pool : pools_)
    done.max_memory_bytes += pool.touched() * memory_.stride();
}

Statistics ItemStream::statistics() const {
  Statistics open = statistics_;
  complete(open, wait::System::now_ns());
  Statistics all = history_.total();
  return all += open;
}

} // namespace thalweg::streams

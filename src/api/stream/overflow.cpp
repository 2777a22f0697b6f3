// SPDX-License-Identifier: BSD-3-Clause
#include "stream/overflow.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>

namespace thalweg::streams {

Slot& SpareSlots::allocate() {
  bytes_ += lines_ * sizeof(Line);
  return *new (new Line[lines_]) Slot;
}

Slot& SpareSlots::counted() {
  Slot& slot = allocate();
  peak_bytes_ = std::max(peak_bytes_, bytes_);
  return slot;
}

Slot& SpareSlots::make() {
  Slot& slot = counted();
  if (bytes_ <= max_bytes_)
    return slot;
  free(slot);
  throw Error(fmt::format("{} B wait for slots, as handlers send more than they are sent", bytes_),
              fmt::format("let handlers send less, or allow more than {} B", max_bytes_),
              thalweg_error_out_of_memory);
}

Slot& SpareSlots::copy(const Slot& slot) {
  THALWEG_ASSERT(normal, sizeof(Slot) + slot.head.bytes <= lines_ * sizeof(Line));
  THALWEG_ASSERT(normal, slot.head.phase <= 1);
  Slot& copied = counted();
  copied.head = slot.head;
  std::memcpy(copied.items(), slot.items(), slot.head.bytes);
  return copied;
}

Slot& SpareSlots::make_mark(const SlotHead& head) {
  THALWEG_ASSERT(normal, head.bytes == 0);
  Slot& mark = allocate();
  mark.head = head;
  return mark;
}

void SpareSlots::free(Slot& slot) {
  THALWEG_ASSERT(normal, bytes_ >= lines_ * sizeof(Line));
  bytes_ -= lines_ * sizeof(Line);
  delete[] reinterpret_cast<Line*>(&slot);
}

} // namespace thalweg::streams

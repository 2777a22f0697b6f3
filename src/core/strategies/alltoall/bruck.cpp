// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "base/assertion.hpp"
#include "schedule/block.hpp"
#include "strategies/strategy.hpp"

#include <algorithm>

namespace thalweg::strategies::alltoall {

namespace {

using schedule::BlockList;
using schedule::Buffer;

// Slot j of a rank is the block that has j ranks to go from where it began: at first input (rank + j). In the
// stage of digit x (written in the radix) every slot whose digit x is z moves z * radix^x ranks ahead, all in
// one message. A slot therefore arrives at a rank in the stage of each of its non-zero digits; after the
// highest one it is at home and goes straight to output (rank - j). No rotation is ever made: it is in the
// numbering of blocks.
//
// Scratch has a region for each digit y, for the slots that arrive in its stage and go on: index
//   (j / radix^(y+1) - 1) * (radix-1) radix^y  +  (digit y of j - 1) * radix^y  +  j mod radix^y .
class BruckSlots {
public:
  explicit BruckSlots(Builder& b)
      : ranks_(b.ranks()), rank_(b.rank()), radix_(b.parameter("radix")),
        digits_(ceil_log(radix_, b.ranks())) {
    for (int y = 0; y < digits_; ++y) {
      const std::int64_t going_on = ranks_ - power(radix_, y + 1);
      regions_.push_back(
          going_on > 0 ? b.scratch_blocks(static_cast<std::int32_t>(region_index(y, ranks_ - 1) + 1)) : 0);
    }
  }

  int digits() const { return digits_; }
  /// radix^x: how far a digit of 1 at place x goes.
  std::int64_t unit(int x) const { return power(radix_, x); }

  /// The slots below P whose digit x is z, where they lie before the stage of digit x: those whose last trip
  /// was in the stage of digit y = -1 (none yet), 0, 1, .., x-1, each group in ascending order.
  BlockList leaving(int x, std::int64_t z) const {
    BlockList blocks;
    for (int y = -1; y < x; ++y)
      for_each_group(x, z, y, [&](std::int64_t first, std::int64_t run, std::int64_t count) {
        blocks = std::move(blocks) +
                 (y < 0 ? wrapped_stride(Buffer::input, rank_ + first, count, unit(x + 1), ranks_)
                        : in_region(y, first, run, count, unit(x + 1)));
      });
    return blocks;
  }

  /// The same slots in the same order, where they go.
  BlockList arriving(int x, std::int64_t z) const {
    BlockList blocks;
    for (int y = -1; y < x; ++y)
      for_each_group(x, z, y, [&](std::int64_t first, std::int64_t run, std::int64_t count) {
        if (first < unit(x + 1)) { // no digit above x: at home
          blocks = std::move(blocks) + wrapped_stride(Buffer::output, rank_ - first, run, -1, ranks_);
          first += unit(x + 1);
          --count;
        }
        blocks = std::move(blocks) + in_region(x, first, run, count, unit(x + 1));
      });
    return blocks;
  }

private:
  std::int64_t region_index(int y, std::int64_t slot) const {
    const std::int64_t below = power(radix_, y);
    const std::int64_t last = slot % (below * radix_);
    const std::int64_t row = (slot / (below * radix_) - 1) * (radix_ - 1) * below;
    return last < below ? row - 1 : row + last - below; // digit 0: the slot before it is the row's last
  }

  BlockList in_region(int y, std::int64_t first, std::int64_t run, std::int64_t count,
                      std::int64_t stride) const {
    const std::int64_t rows = stride / power(radix_, y + 1);
    return strided(Buffer::scratch, regions_[static_cast<std::size_t>(y)] + region_index(y, first), run,
                   count, rows * (radix_ - 1) * power(radix_, y));
  }

  /// Slots with digit x = z whose highest non-zero digit below x is y (-1: none), as runs `unit(x+1)` apart:
  /// a group of full runs and, at the end of the ranks, one that is cut short.
  template <typename Visit>
  void for_each_group(int x, std::int64_t z, int y, Visit&& visit) const {
    const std::int64_t first = z * unit(x) + (y < 0 ? 0 : unit(y));
    const std::int64_t run = y < 0 ? 1 : (radix_ - 1) * unit(y);
    if (first >= ranks_)
      return;
    const std::int64_t stride = unit(x + 1);
    const std::int64_t full = ranks_ - first < run ? 0 : (ranks_ - first - run) / stride + 1;
    if (full > 0)
      visit(first, run, full);
    const std::int64_t rest = first + full * stride;
    if (rest < ranks_)
      visit(rest, ranks_ - rest, std::int64_t{1});
  }

  std::int64_t ranks_;
  std::int64_t rank_;
  std::int64_t radix_;
  int digits_;
  std::vector<std::int32_t> regions_;
};

void append(Builder& b) {
  const BruckSlots slots(b);
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  for (int x = 0; x < slots.digits(); ++x) {
    b.round();
    for (std::int64_t z = 1; z < b.parameter("radix") && z * slots.unit(x) < b.ranks(); ++z) {
      const std::int64_t distance = z * slots.unit(x);
      THALWEG_ASSERT(heavy, block_count(slots.arriving(x, z)) == block_count(slots.leaving(x, z)));
      b.receive(static_cast<Rank>(modulo(b.rank() - distance, b.ranks())), slots.arriving(x, z));
      b.send(static_cast<Rank>((b.rank() + distance) % b.ranks()), slots.leaving(x, z));
    }
  }
}

} // namespace

Strategy bruck() {
  return {.name = "bruck",
          .operation = Operation::alltoall,
          .summary =
              "moves blocks by the digits of the distance they have to go: (radix-1) log_radix P messages",
          .wins_when = "short blocks, many ranks, no matter how many",
          .source = "Bruck, Ho, Kipnis, Upfal, Weathersby 1997, section 3.2, without its rotations",
          .parameters = {{.name = "radix",
                          .kind = ParameterKind::count,
                          .default_value = 2,
                          .min = 2,
                          .max = 65536,
                          .description =
                              "base in which distances are written: larger means more messages, fewer hops",
                          .proven_at = {3, 4, 8}}},
          .order_matters = true,
          .append = append};
}

} // namespace thalweg::strategies::alltoall

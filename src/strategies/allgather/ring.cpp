#include "core/arithmetic.hpp"
#include "strategies/allgather/layout.hpp"

namespace thalweg::strategies::allgather {

namespace {

void append(Builder& b) {
  const auto behind = [&](std::int32_t k) { return static_cast<Rank>(modulo(b.rank() - k, b.ranks())); };
  append_own(b);
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    b.round();
    b.receive(behind(1), blocks_of(behind(k), 1));
    b.send((b.rank() + 1) % b.ranks(), blocks_of(behind(k - 1), 1));
  }
}

} // namespace

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::allgather,
          .summary = "hands each block on to the next rank: P-1 steps between neighbours",
          .wins_when = "long blocks, or the network is a ring or far traffic is dear",
          .source = "Kumar 2005, section 4.3.1 (ring)",
          .unequal_blocks = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::allgather

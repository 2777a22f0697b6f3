#include "core/arithmetic.hpp"
#include "strategies/strategy.hpp"

namespace thalweg::strategies::allreduce {

namespace {

using schedule::Side;

// With P' the largest power of two in P, the first 2 (P - P') ranks fold in pairs: the even one hands its vector to the
// odd one, which stands for both. The P' that remain, in rank order, exchange whole vectors with partner XOR 2^k.
void append(Builder& b) {
  const auto vector = schedule::output(0, b.canonical());
  const std::int32_t exchanging = 1 << floor_log(2, b.ranks());
  const std::int32_t folded = b.ranks() - exchanging;
  const Rank self = b.rank();
  b.copy(schedule::input(0, b.canonical()), vector);
  b.round();
  if (self < 2 * folded && self % 2 == 0) {
    b.send(self + 1, vector);
    b.round();
    b.receive(self + 1, vector);
    return;
  }
  if (self < 2 * folded)
    b.receive_combine(self - 1, vector, Side::left);

  const std::int32_t place = self < 2 * folded ? self / 2 : self - folded;
  const auto rank_at = [&](std::int32_t p) { return p < folded ? 2 * p + 1 : p + folded; };
  // The partner reads the vector while ours arrives: what comes goes to scratch first.
  const std::int32_t arriving = exchanging > 1 ? b.scratch_blocks(b.canonical()) : 0;
  for (std::int32_t bit = 1; bit < exchanging; bit *= 2) {
    const Rank partner = rank_at(place ^ bit);
    b.round();
    b.send(partner, vector);
    b.receive(partner, schedule::scratch(arriving, b.canonical()));
    b.round();
    b.combine(schedule::scratch(arriving, b.canonical()), vector, partner < self ? Side::left : Side::right);
  }
  if (self < 2 * folded) {
    b.round();
    b.send(self - 1, vector);
  }
}

} // namespace

Strategy recursive_doubling() {
  return {.name = "recursive_doubling",
          .operation = Operation::allreduce,
          .summary = "exchanges whole vectors with partners 1, 2, 4, .. away; ranks beyond a power of two fold in first",
          .wins_when = "short vectors",
          .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
          .keeps_rank_order = true,
          .in_place = true,
          .append = append};
}

} // namespace thalweg::strategies::allreduce

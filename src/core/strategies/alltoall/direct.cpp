// SPDX-License-Identifier: BSD-3-Clause

// Direct all-to-alls: each block goes straight from its source to its destination. They differ in the order
// in which partners are met, and in how many exchanges are under way at once.

#include "base/arithmetic.hpp"
#include "strategies/pacing.hpp"
#include "strategies/segments.hpp"
#include "strategies/strategy.hpp"

#include <algorithm>

namespace thalweg::strategies::alltoall {

namespace {

/// The own block's copy, then the exchanges in the order and at the pace given.
void append_direct(Builder& b, std::span<const Exchange> order, Pace pace) {
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  append_exchanges(
      b, order, [](Rank to) { return schedule::input(to); }, [](Rank from) { return schedule::output(from); },
      pace);
}

// Step k posts the exchange with the ranks k ahead and k behind, so that no rank is everybody's first target.
void append_at_once(Builder& b) {
  const Rank self = b.rank();
  b.copy(schedule::input(self), schedule::output(self));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank from = (self - k + b.ranks()) % b.ranks();
    b.receive(from, schedule::output(from));
  }
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    b.send(to, schedule::input(to));
  }
}

} // namespace

Strategy direct() {
  return {.name = "direct",
          .operation = Operation::alltoall,
          .summary = "posts every receive and every send at once",
          .wins_when = "few ranks, or more ranks than cores",
          .source = "Kumar 2005, section 3.1 (direct)",
          .unequal_blocks = true,
          .append = append_at_once};
}

Strategy cyclic() {
  return {.name = "cyclic",
          .operation = Operation::alltoall,
          .summary = "step k sends to rank+k and receives from rank-k",
          .wins_when = "long blocks, any number of ranks: every receiver has one sender at a time",
          .source = "Kumar 2005, section 4.2.2 (cyclic send)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_direct(b, cyclic_order(b.rank(), b.ranks()), pace_of(b)); }};
}

Strategy prefix() {
  return {.name = "prefix",
          .operation = Operation::alltoall,
          .summary = "step j exchanges with rank XOR j; ranks rest where that partner does not exist",
          .wins_when = "long blocks on fat-trees, ranks a power of two: every step is free of contention",
          .source = "Kumar 2005, section 4.2.1 (prefix-send)",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_direct(b, prefix_order(b.rank(), b.ranks()), pace_of(b)); }};
}

Strategy ring() {
  return {.name = "ring",
          .operation = Operation::alltoall,
          .summary = "exchanges with the nearest ranks first, both ways in turn",
          .wins_when = "long blocks on rings and tori, or where neighbors share a node",
          .source = "Suh and Yalamanchili 1998, order of distances on a ring; Kumar 2005, section 4.1",
          .parameters = {window_parameter(1), barrier_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_direct(b, ring_order(b.rank(), b.ranks()), pace_of(b)); }};
}

namespace {

using schedule::After;

void append_segmented(Builder& b) {
  const std::int32_t pieces = b.pieces();
  const auto window = static_cast<std::size_t>(b.parameter("window"));
  b.copy(schedule::input(b.rank() * pieces, pieces), schedule::output(b.rank() * pieces, pieces));
  std::vector<After> done;
  for (const Exchange& exchange : cyclic_order(b.rank(), b.ranks()))
    for (std::int32_t k = 0; k < pieces; ++k) {
      const After begun = done.size() < window ? After{} : done[done.size() - window];
      done.push_back({b.receive(exchange.from, schedule::output(exchange.from * pieces + k), begun),
                      b.send(exchange.to, schedule::input(exchange.to * pieces + k), begun)});
    }
}

} // namespace

Strategy segmented_cyclic() {
  return {
      .name = "segmented_cyclic",
      .operation = Operation::alltoall,
      .summary = "the cyclic order with each block cut into segments, of which a few are under way at once",
      .wins_when = "long blocks where links queue: short queues, and messages that the library sends at once",
      .source = "Kumar 2005, section 4.2.2 (cyclic send), cut into packets",
      .parameters = {segment_parameter(std::int64_t{16} << 10), piece_window_parameter(2)},
      .order_matters = true,
      .pieces = segments,
      .append = append_segmented};
}

namespace {

// Whole batches: all of a batch is posted together and waited for together, so the posted receives are few at
// any time.
void append_throttled(Builder& b) {
  const std::vector<Exchange> order = cyclic_order(b.rank(), b.ranks());
  const auto batch = static_cast<std::int32_t>(b.parameter("batch"));
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  for (std::size_t begin = 0; begin < order.size(); begin += static_cast<std::size_t>(batch)) {
    const std::size_t end = std::min(order.size(), begin + static_cast<std::size_t>(batch));
    b.round();
    for (std::size_t i = begin; i < end; ++i)
      b.receive(order[i].from, schedule::output(order[i].from));
    for (std::size_t i = begin; i < end; ++i)
      b.send(order[i].to, schedule::input(order[i].to));
  }
}

} // namespace

Strategy throttled() {
  return {.name = "throttled",
          .operation = Operation::alltoall,
          .summary = "posts the exchanges in batches, each finished before the next is posted",
          .wins_when = "medium blocks, many ranks: enough in flight to hide latency, few receives for the "
                       "library to search",
          .source =
              "MPICH, all-to-all 'scattered' with its throttle; Kumar 2005, section 2.1.1 (posted receives)",
          .parameters = {{.name = "batch",
                          .kind = ParameterKind::count,
                          .default_value = 32,
                          .min = 1,
                          .max = 65536,
                          .description = "exchanges posted together",
                          .proven_at = {4, 1}}},
          .unequal_blocks = true,
          .order_matters = true,
          .append = append_throttled};
}

namespace {

// The engine leaves out messages of no bytes on both sides, so a rank with few partners has few steps.
// Receives are all posted at once: which of them carry anything is known, and nobody waits in line behind an
// idle partner. Sends go out nearest first, `window` at a time.
void append_sparse(Builder& b) {
  const Rank self = b.rank();
  const auto window = static_cast<std::size_t>(b.parameter("window"));
  b.copy(schedule::input(self), schedule::output(self));
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const auto from = static_cast<Rank>(modulo(self - k, b.ranks()));
    b.receive(from, schedule::output(from));
  }
  schedule::After sends;
  for (std::int32_t k = 1; k < b.ranks(); ++k) {
    const Rank to = (self + k) % b.ranks();
    const bool waits = sends.size() >= window;
    sends.push_back(b.send(to, schedule::input(to),
                           waits ? schedule::After{sends[sends.size() - window]} : schedule::After{}));
  }
}

} // namespace

Strategy sparse() {
  return {.name = "sparse",
          .operation = Operation::alltoall,
          .summary = "posts all receives, sends a window at a time; empty blocks cost nothing",
          .wins_when = "counts are mostly zero (many-to-many)",
          .source = "Kumar 2005, section 3.3 (direct many-to-many), windowed",
          .parameters = {window_parameter(16)},
          .unequal_blocks = true,
          .append = append_sparse};
}

} // namespace thalweg::strategies::alltoall

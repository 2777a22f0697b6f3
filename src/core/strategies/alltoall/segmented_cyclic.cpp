// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/orders.hpp"
#include "strategies/segments.hpp"

namespace thalweg::strategies::alltoall {

namespace {

using schedule::After;

void append(Builder& b) {
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
      .append = append};
}

} // namespace thalweg::strategies::alltoall

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/paired.hpp"
#include "strategies/orders.hpp"

#include <algorithm>

namespace thalweg::strategies::alltoall {

namespace {

// Whole batches: all of a batch is posted together and waited for together, so the posted receives are few at
// any time.
void append(Builder& b) {
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
          .append = append};
}

} // namespace thalweg::strategies::alltoall

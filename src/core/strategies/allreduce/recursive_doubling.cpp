// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "strategies/whole_exchange.hpp"

namespace thalweg::strategies::allreduce {

Strategy recursive_doubling() {
  return {
      .name = "recursive_doubling",
      .operation = Operation::allreduce,
      .summary =
          "exchanges whole vectors with partners 1, 2, 4, .. away; ranks beyond a power of two fold in first",
      .wins_when = "short vectors",
      .source = "Thakur, Rabenseifner, Gropp 2005, section 4.1",
      .parameters = {segment_parameter(0)},
      .keeps_rank_order = true,
      .in_place = true,
      .order_matters = true,
      .pieces = segments,
      .append = [](Builder& b) { append_recursive_exchange(b, 2); }};
}

} // namespace thalweg::strategies::allreduce

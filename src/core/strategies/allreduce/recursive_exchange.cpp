// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/segments.hpp"
#include "strategies/whole_exchange.hpp"

namespace thalweg::strategies::allreduce {

Strategy recursive_exchange() {
  return {.name = "recursive_exchange",
          .operation = Operation::allreduce,
          .summary = "exchanges whole vectors in groups of radix ranks 1, radix, radix^2, .. apart; the rest "
                     "folds in first",
          .wins_when = "short vectors where several messages can be under way at once",
          .source = "Ruefenacht, Bull, Booth 2017 (recursive multiplying); UCC's k-nomial exchange",
          .parameters = {{.name = "radix",
                          .default_value = 4,
                          .min = 2,
                          .max = 64,
                          .description = "ranks that exchange with one another in a round",
                          .proven_at = {3, 2, 4, 8}},
                         segment_parameter(0)},
          .keeps_rank_order = true,
          .in_place = true,
          .order_matters = true,
          .pieces = segments,
          .append = [](Builder& b) {
            append_recursive_exchange(b, static_cast<std::int32_t>(b.parameter("radix")));
          }};
}

} // namespace thalweg::strategies::allreduce

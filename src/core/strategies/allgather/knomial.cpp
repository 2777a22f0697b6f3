// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/cube_exchange.hpp"

#include <limits>

namespace thalweg::strategies::allgather {

Strategy knomial() {
  return {.name = "knomial",
          .operation = Operation::allgather,
          .summary = "recursive k-nomial exchange: recursive doubling with radix-1 partners a stage; other "
                     "ranks fold in and out",
          .wins_when =
              "short blocks where several messages can be under way at once, ranks near a power of the radix",
          .source = "UCC, all-gather 'knomial'; Kumar 2005, section 3.1.3 with a radix",
          .parameters = {{.name = "radix",
                          .kind = ParameterKind::count,
                          .default_value = 4,
                          .min = 2,
                          .max = 1024,
                          .description = "a rank exchanges with radix-1 others in each stage",
                          .proven_at = {3, 5, 8}}},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_on_cube(b, static_cast<std::int32_t>(b.parameter("radix")),
                           std::numeric_limits<std::int32_t>::max());
          }};
}

} // namespace thalweg::strategies::allgather

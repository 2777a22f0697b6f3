// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "strategies/allgather/cube_exchange.hpp"

namespace thalweg::strategies::allgather {

Strategy hybrid_hypercube() {
  return {.name = "hybrid_hypercube",
          .operation = Operation::allgather,
          .summary =
              "log2 P - z stages of recursive doubling, then directly within the sub-cubes of 2^z ranks",
          .wins_when =
              "medium blocks, where sending the same data several times is cheaper than sending new data",
          .source = "Kumar 2005, section 3.1.5 (hybrid of hypercube and direct)",
          .parameters = {{.name = "z",
                          .kind = ParameterKind::count,
                          .default_value = 2,
                          .min = 0,
                          .max = 20,
                          .description = "dimensions done directly in the end, all there are at most",
                          .proven_at = {3, 1, 20}}},
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_on_cube(b, 2, floor_log(2, b.ranks()) - static_cast<std::int32_t>(b.parameter("z")));
          }};
}

} // namespace thalweg::strategies::allgather

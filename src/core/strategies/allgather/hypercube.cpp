// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/allgather/cube_exchange.hpp"

#include <limits>

namespace thalweg::strategies::allgather {

Strategy hypercube() {
  return {.name = "hypercube",
          .operation = Operation::allgather,
          .summary = "recursive doubling: exchanges all it has with rank XOR 1, 2, 4, ..; ranks beyond a "
                     "power of two fold in and out",
          .wins_when = "short blocks, ranks a power of two",
          .source = "Kumar 2005, section 3.1.3 (hypercube with holes)",
          .unequal_blocks = true,
          .in_place = true,
          .order_matters = true,
          .append = [](Builder& b) { append_on_cube(b, 2, std::numeric_limits<std::int32_t>::max()); }};
}

} // namespace thalweg::strategies::allgather

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce_scatter/halving.hpp"

namespace thalweg::strategies::reduce_scatter {

Strategy recursive_halving() {
  return {.name = "recursive_halving",
          .operation = Operation::reduce_scatter,
          .summary =
              "exchanges half of what is left with partners P/2, P/4, .. away (parts of radix in general)",
          .wins_when = "short and medium blocks, operators that commute",
          .source = "Thakur, Rabenseifner, Gropp 2005, section 4.4 (recursive halving); UCC's k-nomial form",
          .parameters = {radix_parameter()},
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_halving(b, static_cast<std::int32_t>(b.parameter("radix")), ExchangeOrder::furthest_first);
          }};
}

} // namespace thalweg::strategies::reduce_scatter

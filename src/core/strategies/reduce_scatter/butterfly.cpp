// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/reduce_scatter/halving.hpp"

namespace thalweg::strategies::reduce_scatter {

Strategy butterfly() {
  return {.name = "butterfly",
          .operation = Operation::reduce_scatter,
          .summary = "recursive halving with the nearest partners first: strided rows of blocks, the order "
                     "of ranks kept",
          .wins_when = "short and medium blocks, operators that do not commute",
          .source = "Bernaschi, Iannello, Lauria 2003; Traeff 2005 (butterfly reduce-scatter)",
          .parameters = {radix_parameter()},
          .keeps_rank_order = true,
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) {
            append_halving(b, static_cast<std::int32_t>(b.parameter("radix")), ExchangeOrder::nearest_first);
          }};
}

} // namespace thalweg::strategies::reduce_scatter

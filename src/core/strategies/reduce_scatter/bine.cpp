// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/swing_exchange.hpp"

namespace thalweg::strategies::reduce_scatter {

Strategy bine() {
  return {.name = "bine",
          .operation = Operation::reduce_scatter,
          .summary = "halving over distances of base -2 from long to short; messages are intervals of blocks",
          .wins_when =
              "networks of groups (dragonfly, tapered fat-tree), where fewer bytes cross between groups",
          .source = "De Sensi et al., SC 2025 (Bine trees), butterflies",
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_swing_reduce_scatter(b, topology::SwingOrder::long_first); }};
}

} // namespace thalweg::strategies::reduce_scatter

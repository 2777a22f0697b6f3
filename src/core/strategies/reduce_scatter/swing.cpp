// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/swing_exchange.hpp"

namespace thalweg::strategies::reduce_scatter {

Strategy swing() {
  return {.name = "swing",
          .operation = Operation::reduce_scatter,
          .summary = "halving with partners at distances 1, 1, 3, 5, 11, .. to alternating sides",
          .wins_when = "rings and tori, where short distances cost less",
          .source = "De Sensi, Bonato, Saam, Hoefler, NSDI 2024 (Swing), section 3.1",
          .unequal_blocks = true,
          .order_matters = true,
          .append = [](Builder& b) { append_swing_reduce_scatter(b, topology::SwingOrder::short_first); }};
}

} // namespace thalweg::strategies::reduce_scatter

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/swing_exchange.hpp"

namespace thalweg::strategies::allreduce {

Strategy swing() {
  return {.name = "swing",
          .operation = Operation::allreduce,
          .summary =
              "halving and doubling with partners at distances 1, 1, 3, 5, 11, .. to alternating sides",
          .wins_when = "medium and long vectors on rings and tori, where short distances cost less",
          .source = "De Sensi, Bonato, Saam, Hoefler, NSDI 2024 (Swing), bandwidth-optimal form",
          .in_place = true,
          .order_matters = true,
          .pieces = [](const Problem& problem) { return problem.ranks; },
          .append = [](Builder& b) { append_swing_allreduce(b, topology::SwingOrder::short_first); }};
}

} // namespace thalweg::strategies::allreduce

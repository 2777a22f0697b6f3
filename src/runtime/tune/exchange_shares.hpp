// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What exchanges take where ranks have something for some others only, by the model of the machine at hand
// (model/message_terms.hpp; Kumar 2005, section 3.3.1).

#include "machine/machine.hpp"

#include <cstdint>

namespace thalweg::tune {

/// An exchange among so many ranks: to how many others a rank sends something, and how much to each.
struct Exchange {
  std::int32_t ranks = 1;
  double degree = 0;
  double block_bytes = 0;
};

/// What such an exchange takes, each as a share of what it takes with a message from each rank to each other
/// one.
struct ExchangeShares {
  double mesh2d = 1; ///< on a mesh of two dimensions, nearly square
  double sparse = 1; ///< with messages for what is not empty alone
};

ExchangeShares exchange_shares(const machine::Machine& machine, machine::Level level,
                               const Exchange& exchange);

} // namespace thalweg::tune

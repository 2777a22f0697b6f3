// SPDX-License-Identifier: BSD-3-Clause
#include "tune/exchange_shares.hpp"

#include "base/arithmetic.hpp"
#include "model/many_to_many.hpp"

#include <array>

namespace thalweg::tune {

namespace {

/// As many messages, and as many bytes, of each rank.
double seconds(const model::MessageTerms& terms, std::span<const std::int32_t> sides, double messages,
               double bytes) {
  const model::Volume each{messages, bytes};
  return model::many_to_many_seconds(terms, sides,
                                     {.mean = each, .busiest_sender = each, .busiest_receiver = each});
}

} // namespace

ExchangeShares exchange_shares(const machine::Machine& machine, machine::Level level,
                               const Exchange& exchange) {
  const model::MessageTerms terms(machine, level);
  const double bytes = exchange.degree * exchange.block_bytes;
  const std::array direct{exchange.ranks};
  const auto row = static_cast<std::int32_t>(ceil_root(exchange.ranks, 2));
  const std::array mesh{row, static_cast<std::int32_t>(ceil_divide(exchange.ranks, row))};
  const double all = seconds(terms, direct, exchange.ranks - 1, bytes);
  if (all <= 0)
    return {};
  return {.mesh2d = seconds(terms, mesh, exchange.degree, bytes) / all,
          .sparse = seconds(terms, direct, exchange.degree, bytes) / all};
}

} // namespace thalweg::tune

// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/pacing.hpp"

#include "base/arithmetic.hpp"
#include "base/assertion.hpp"

#include <bit>

namespace thalweg::strategies {

using schedule::After;
using schedule::BlockList;

namespace {

class PacedExchanges {
public:
  PacedExchanges(Builder& b, const std::function<BlockList(Rank)>& sent,
                 const std::function<BlockList(Rank)>& received)
      : b_(b), sent_(sent), received_(received) {}

  After append(const Exchange& exchange, const After& after = {}) {
    THALWEG_ASSERT(normal, exchange.from != b_.rank() && exchange.to != b_.rank());
    After steps;
    if (exchange.from >= 0)
      steps.push_back(b_.receive(exchange.from, received_(exchange.from), after));
    if (exchange.to >= 0)
      steps.push_back(b_.send(exchange.to, sent_(exchange.to), after));
    return steps;
  }

private:
  Builder& b_;
  const std::function<BlockList(Rank)>& sent_;
  const std::function<BlockList(Rank)>& received_;
};

using AppendStep = std::function<After(std::size_t step, const After& after)>;

void append_in_window(Builder& b, std::size_t steps, std::size_t window, const AppendStep& append) {
  std::vector<After> done;
  for (std::size_t step = 0; step < steps; ++step) {
    if (window == 1)
      b.round();
    const bool waits = window > 1 && done.size() >= window;
    After added = append(step, waits ? done[done.size() - window] : After{});
    if (!added.empty())
      done.push_back(std::move(added));
  }
}

void append_between_barriers(Builder& b, std::size_t steps, std::size_t between, const AppendStep& append) {
  for (std::size_t step = 0; step < steps; ++step) {
    if (step > 0 && step % between == 0)
      append_token_barrier(b);
    append(step, {});
  }
}

} // namespace

Parameter window_parameter(std::int64_t default_value) {
  return {.name = "window",
          .kind = ParameterKind::count,
          .default_value = default_value,
          .min = 1,
          .max = 65536,
          .description = "how many steps may be under way at once",
          .proven_at = {2, 5}};
}

Parameter barrier_parameter() {
  return {
      .name = "barrier",
      .kind = ParameterKind::choice,
      .default_value = 0,
      .min = 0,
      .max = 2,
      .description =
          "a barrier of all ranks: never, after each step, or after each batch of steps (lb: fewer barriers)",
      .choices = {"none", "step", "lb"},
      .proven_at = {2, 1}};
}

void append_token_barrier(Builder& b) {
  for (std::int32_t distance = 1; distance < b.ranks(); distance *= 2) {
    b.round();
    b.receive_token(static_cast<Rank>(modulo(b.rank() - distance, b.ranks())));
    b.send_token((b.rank() + distance) % b.ranks());
  }
  b.round();
}

Pace pace_of(const Builder& b) {
  return {static_cast<Barrier>(b.parameter("barrier")), static_cast<std::size_t>(b.parameter("window"))};
}

void append_paced(Builder& b, std::size_t steps, Pace pace, const AppendStep& append) {
  THALWEG_ASSERT(light, pace.window >= 1);
  switch (pace.barrier) {
  case Barrier::none:
    append_in_window(b, steps, pace.window, append);
    break;
  case Barrier::step:
    append_between_barriers(b, steps, 1, append);
    break;
  case Barrier::lb:
    append_between_barriers(b, steps, pace.window, append);
    break;
  }
}

void append_exchanges(Builder& b, std::span<const Exchange> exchanges,
                      const std::function<BlockList(Rank)>& sent,
                      const std::function<BlockList(Rank)>& received, Pace pace) {
  PacedExchanges paced(b, sent, received);
  append_paced(b, exchanges.size(), pace,
               [&](std::size_t step, const After& after) { return paced.append(exchanges[step], after); });
}

namespace {

Exchange shift(Rank rank, std::int32_t ranks, std::int32_t by) {
  return {static_cast<Rank>(modulo(rank + by, ranks)), static_cast<Rank>(modulo(rank - by, ranks))};
}

} // namespace

std::vector<Exchange> cyclic_order(Rank rank, std::int32_t ranks) {
  std::vector<Exchange> order;
  for (std::int32_t k = 1; k < ranks; ++k)
    order.push_back(shift(rank, ranks, k));
  return order;
}

std::vector<Exchange> prefix_order(Rank rank, std::int32_t ranks) {
  const auto steps = static_cast<std::int32_t>(std::bit_ceil(static_cast<std::uint32_t>(ranks)));
  std::vector<Exchange> order;
  for (std::int32_t j = 1; j < steps; ++j) {
    const Rank partner = rank ^ j;
    order.push_back(partner < ranks ? Exchange{partner, partner} : Exchange{});
  }
  return order;
}

std::vector<Exchange> ring_order(Rank rank, std::int32_t ranks) {
  std::vector<Exchange> order;
  for (std::int32_t distance = 1; 2 * distance <= ranks; ++distance) {
    order.push_back(shift(rank, ranks, distance));
    if (2 * distance < ranks)
      order.push_back(shift(rank, ranks, -distance));
  }
  return order;
}

} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Ranks of groups in one thread, whose tasks go on in a random order: a seed says everything.

#include "control/control.hpp"
#include "transport/aggregation/aggregating_transport.hpp"
#include "transport/doubles/loopback.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

namespace thalweg::control {

/// What lies under a group.
enum class Below { eager, rendezvous, aggregation };

inline std::vector<Rank> shuffled(std::int32_t ranks, std::uint32_t seed) {
  std::vector<Rank> order(static_cast<std::size_t>(ranks));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

class SimulatedGroup {
public:
  SimulatedGroup(std::int32_t ranks, Below below, const std::vector<Rank>& order) {
    auto transports = transport::make_loopback(
        ranks, below == Below::rendezvous ? transport::Protocol::rendezvous : transport::Protocol::eager);
    auto mailboxes = transport::make_loopback_mailboxes(ranks);
    for (std::size_t rank = 0; rank < transports.size(); ++rank) {
      std::shared_ptr<transport::Transport> transport;
      if (below == Below::aggregation)
        transport =
            std::make_shared<transport::AggregatingTransport>(std::move(transports[rank]), wait::Policy{});
      else
        transport = std::move(transports[rank]);
      controls_.push_back(
          std::make_unique<Control>(transport, std::move(mailboxes[rank]), wait::Policy{}, order));
    }
  }

  std::int32_t ranks() const { return static_cast<std::int32_t>(controls_.size()); }
  Control& of(Rank rank) { return *controls_[static_cast<std::size_t>(rank)]; }

private:
  std::vector<std::unique_ptr<Control>> controls_;
};

/// A rank's tasks, in the order in which it is to begin them. Those begun go on in any order.
class SimulatedRank {
public:
  using Begin = std::function<std::unique_ptr<TaskRun<void>>()>;

  void add(Begin begin) { waiting_.push_back(std::move(begin)); }
  bool has_ended() const { return next_ == waiting_.size() && under_way_.empty(); }
  /// Begins the next task, or looks after one of those begun.
  void step(std::mt19937& random) {
    const bool may_begin = next_ < waiting_.size();
    if (may_begin && (under_way_.empty() || random() % 3 == 0)) {
      under_way_.push_back(waiting_[next_++]());
      return;
    }
    if (under_way_.empty())
      return;
    auto& one = under_way_[random() % under_way_.size()];
    if (one->look() != wait::Look::reached)
      return;
    one->result();
    std::swap(one, under_way_.back());
    under_way_.pop_back();
  }

private:
  std::vector<Begin> waiting_;
  std::size_t next_ = 0;
  std::vector<std::unique_ptr<TaskRun<void>>> under_way_;
};

/// Lets ranks go on at random until all have ended, some far behind others. False where they never do.
inline bool run_all(std::vector<SimulatedRank>& ranks, std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto has_ended = [](const SimulatedRank& rank) { return rank.has_ended(); };
  const std::size_t late = random() % ranks.size();
  for (std::int64_t step = 0; step < 4'000'000; ++step) {
    const std::size_t rank = random() % ranks.size();
    if (rank == late && random() % 16 != 0)
      continue;
    ranks[rank].step(random);
    if (step % 64 == 0 && std::ranges::all_of(ranks, has_ended))
      return true;
  }
  return false;
}

} // namespace thalweg::control

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What the model has picked, kept for a team and all its parts: to ask it takes longer than to make a team,
// and parts that are made again and again ask the same.

#include "engine/plan_cache.hpp"
#include "strategies/selection.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace thalweg::teams {

/// What runs for a problem, and who said so.
struct TeamChoice {
  strategies::Scheduled scheduled;
  std::string origin;
};

/// Teams of several threads may share it.
class ModelChoices {
public:
  /// The choice for that key, which has all that decides; `find` makes it.
  template <typename Find>
  TeamChoice choice(engine::PlanKey key, Find find) {
    if (const std::shared_ptr<TeamChoice> known = known_choice(key))
      return *known;
    auto found = std::make_shared<TeamChoice>(find());
    const std::scoped_lock lock(mutex_);
    choices_.insert(std::move(key), found);
    return *found;
  }

private:
  std::shared_ptr<TeamChoice> known_choice(const engine::PlanKey& key) {
    const std::scoped_lock lock(mutex_);
    return choices_.find(key);
  }

  std::mutex mutex_;
  engine::PlanCache<TeamChoice> choices_;
};

} // namespace thalweg::teams

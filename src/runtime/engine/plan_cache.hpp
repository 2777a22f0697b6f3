// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Plans that a group has made, by what they depend on.

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::engine {

/// Everything that tells one plan from another, as numbers.
using PlanKey = std::vector<std::int64_t>;

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccdU;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

/// Keeps values until there are too many kinds of them; then it forgets all, as programs that make so many
/// kinds of calls do not come back to them. Values stay good while somebody holds them.
template <typename Value>
class PlanCache {
public:
  static constexpr std::size_t capacity = 512;

  std::shared_ptr<Value> find(const PlanKey& key) const {
    const auto known = values_.find(key);
    return known == values_.end() ? nullptr : known->second;
  }
  void insert(PlanKey key, std::shared_ptr<Value> value) {
    if (values_.size() >= capacity)
      values_.clear();
    values_.insert_or_assign(std::move(key), std::move(value));
  }
  void clear() { values_.clear(); }
  std::size_t size() const { return values_.size(); }

private:
  std::unordered_map<PlanKey, std::shared_ptr<Value>, PlanKeyHash> values_;
};

} // namespace thalweg::engine

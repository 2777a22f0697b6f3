// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/traffic_table.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace thalweg::mpi::observe {

std::vector<PatternPhase>& all_pattern_phases() {
  struct Phases {
    std::vector<PatternPhase> all{1};
  };
  return of_process<Phases>().all;
}

void begin_pattern_phase(int level) {
  std::vector<PatternPhase>& phases = all_pattern_phases();
  const auto known = std::ranges::find(phases, level, &PatternPhase::level);
  pattern_phase = static_cast<std::uint32_t>(known - phases.begin());
  if (known == phases.end())
    phases.push_back({.level = level});
  else
    ++known->repeats;
}

namespace {

constinit TrafficEntry no_entry; // of free slots

struct TrafficTables {
  std::mutex mutex;
  std::vector<std::unique_ptr<TrafficTable>> tables;
};

TrafficTables& traffic_tables() {
  return of_process<TrafficTables>();
}

constinit thread_local TrafficTable* own_traffic_table = nullptr;

} // namespace

TrafficTable::TrafficTable() : slots_(std::size_t{1} << (64 - shift_), &no_entry) {}

TrafficEntry& TrafficTable::find(const TrafficKey& key) {
  THALWEG_ASSERT(normal, key.row != nullptr && entries_.size() * 2 <= slots_.size());
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = slot_of(key);
  for (; slots_[slot] != &no_entry; slot = (slot + 1) & mask) {
    if (slots_[slot]->key == key)
      return *slots_[slot];
  }
  TrafficEntry& fresh = entries_.emplace_back(key);
  slots_[slot] = &fresh;
  if (entries_.size() * 2 > slots_.size())
    grow();
  return fresh;
}

void TrafficTable::grow() {
  --shift_;
  slots_.assign(slots_.size() * 2, &no_entry);
  for (TrafficEntry& entry : entries_) {
    std::size_t slot = slot_of(entry.key);
    while (slots_[slot] != &no_entry)
      slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = &entry;
  }
}

TrafficTable& traffic_table() {
  if (own_traffic_table == nullptr) [[unlikely]] {
    auto table = std::make_unique<TrafficTable>();
    own_traffic_table = table.get();
    const std::lock_guard lock(traffic_tables().mutex);
    traffic_tables().tables.push_back(std::move(table));
  }
  return *own_traffic_table;
}

std::vector<const TrafficTable*> all_traffic_tables() {
  std::vector<const TrafficTable*> result;
  const std::lock_guard lock(traffic_tables().mutex);
  for (const auto& table : traffic_tables().tables)
    result.push_back(table.get());
  return result;
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which task is on which slot, both ways around.

#include "base/assertion.hpp"

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace thalweg::place {

/// A task's, slot's or vertex's number as an index.
inline std::size_t at(std::int32_t number) {
  return static_cast<std::size_t>(number);
}

/// A slot for each task; its first entries are those of the pattern's tasks.
using Slots = std::vector<std::int32_t>;

/// A permutation: there are as many tasks as slots, as tasks without messages fill the empty ones.
struct Mapping {
  Slots slot_of;
  Slots task_at;

  static Mapping identity(std::int32_t slots) {
    THALWEG_ASSERT(light, slots >= 0);
    Mapping mapping;
    mapping.slot_of.resize(at(slots));
    std::iota(mapping.slot_of.begin(), mapping.slot_of.end(), 0);
    mapping.task_at = mapping.slot_of;
    return mapping;
  }
  /// From the slots of all tasks, each slot once.
  static Mapping of(Slots slots) {
    Mapping mapping{std::move(slots), {}};
    mapping.task_at.resize(mapping.slot_of.size());
    for (std::size_t task = 0; task < mapping.slot_of.size(); ++task)
      mapping.task_at[at(mapping.slot_of[task])] = static_cast<std::int32_t>(task);
    THALWEG_ASSERT(heavy, mapping.is_permutation());
    return mapping;
  }

  /// Does each slot have the one task that has it?
  bool is_permutation() const {
    for (std::size_t task = 0; task < slot_of.size(); ++task)
      if (task_at[at(slot_of[task])] != static_cast<std::int32_t>(task))
        return false;
    return true;
  }
  std::int32_t size() const { return static_cast<std::int32_t>(slot_of.size()); }
  std::int32_t slot(std::int32_t task) const { return slot_of[at(task)]; }
  std::int32_t task(std::int32_t slot) const { return task_at[at(slot)]; }
  void swap(std::int32_t a, std::int32_t b) {
    THALWEG_ASSERT(normal, at(a) < slot_of.size() && at(b) < slot_of.size());
    std::swap(slot_of[at(a)], slot_of[at(b)]);
    task_at[at(slot(a))] = a;
    task_at[at(slot(b))] = b;
  }
};

/// The mapping of all slots: those that are free have tasks without messages.
inline Mapping completed(const Slots& slot_of, std::size_t slots) {
  Slots all = slot_of;
  std::vector<bool> is_used(slots);
  for (const std::int32_t slot : slot_of)
    is_used[at(slot)] = true;
  for (std::size_t slot = 0; slot < slots; ++slot)
    if (!is_used[slot])
      all.push_back(static_cast<std::int32_t>(slot));
  return Mapping::of(std::move(all));
}

} // namespace thalweg::place

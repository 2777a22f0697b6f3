// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The names of a rank's operations in a text: an open hash table that is emptied by counting on.

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace thalweg::simulate {

class Labels {
public:
  void clear() {
    ++generation_;
    used_ = 0;
  }

  /// The number kept under a name, or null.
  const std::uint32_t* find(std::string_view name) const {
    for (std::size_t place = hash(name);; ++place) {
      const Entry& entry = entries_[place & mask()];
      if (entry.generation != generation_)
        return nullptr;
      if (entry.name == name)
        return &entry.number;
    }
  }

  /// Keeps a number under a name that is not kept yet, and must stay in memory.
  void add(std::string_view name, std::uint32_t number) {
    if (2 * ++used_ > entries_.size())
      grow();
    place(name, number);
  }

private:
  struct Entry {
    std::string_view name;
    std::uint32_t number = 0;
    std::uint32_t generation = 0;
  };

  static std::size_t hash(std::string_view name) {
    std::uint64_t value = name.size();
    for (const char letter : name)
      value = (value ^ static_cast<unsigned char>(letter)) * 0x9e3779b97f4a7c15U;
    return value >> 20;
  }
  std::size_t mask() const { return entries_.size() - 1; }

  void place(std::string_view name, std::uint32_t number) {
    std::size_t place = hash(name);
    while (entries_[place & mask()].generation == generation_)
      ++place;
    entries_[place & mask()] = {name, number, generation_};
  }

  void grow() {
    std::vector<Entry> old(2 * entries_.size());
    old.swap(entries_);
    for (const Entry& entry : old)
      if (entry.generation == generation_)
        place(entry.name, entry.number);
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t used_ = 0;
  std::uint32_t generation_ = 1;
};

} // namespace thalweg::simulate

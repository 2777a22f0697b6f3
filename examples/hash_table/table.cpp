// SPDX-License-Identifier: BSD-3-Clause
#include "hash_table/table.hpp"

#include <algorithm>
#include <stdexcept>

namespace thalweg::examples::hash_table {

Place Table::place_of(Search const& one) const {
  std::uint64_t const hash = mix(one.key);
  return {static_cast<int>(hash % ranks_), (hash / ranks_ + one.probes) % size_};
}

/// Starts a step for each key of a batch, finishes them all, and goes on with those that are not at their
/// end.
template <typename Start, typename Ends>
void Table::search(std::span<Key const> keys, Start const& start, Ends const& ends) {
  std::vector<Search> searches;
  for (std::size_t first = 0; first < keys.size(); first += batch_) {
    searches.clear();
    for (std::size_t i = first; i < std::min(first + batch_, keys.size()); ++i)
      searches.push_back({i, keys[i]});
    while (!searches.empty()) {
      for (std::size_t lane = 0; lane < searches.size(); ++lane)
        start(lane, searches[lane]);
      slots_.finish();
      std::size_t left = 0;
      for (std::size_t lane = 0; lane < searches.size(); ++lane) {
        if (ends(lane, searches[lane]))
          continue;
        if (++searches[lane].probes == size_)
          throw std::runtime_error("the table is full: give more --room");
        searches[left++] = searches[lane];
      }
      searches.resize(left);
    }
  }
}

void Table::count(std::span<Key const> keys) {
  std::vector<Key> before(batch_);
  search(
      keys, [&](std::size_t lane, Search const& one) { slots_.claim(place_of(one), one.key, before[lane]); },
      [&](std::size_t lane, Search const& one) {
        bool const is_there = before[lane] == 0 || before[lane] == one.key;
        if (is_there)
          slots_.count_one(place_of(one));
        return is_there;
      });
  slots_.settle();
}

void Table::look_up(std::span<Key const> keys, std::span<Count> counts) {
  std::vector<Slot> found(batch_);
  search(
      keys, [&](std::size_t lane, Search const& one) { slots_.read(place_of(one), found[lane]); },
      [&](std::size_t lane, Search const& one) {
        bool const is_there = found[lane].key == one.key;
        counts[one.index] = is_there ? found[lane].count : 0;
        return is_there || found[lane].key == 0;
      });
}

} // namespace thalweg::examples::hash_table

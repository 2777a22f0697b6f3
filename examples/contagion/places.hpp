// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "contagion/model.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace thalweg::examples::contagion {

/// The places of a rank, which are where visits say.
class Places {
public:
  explicit Places(Problem const& problem) : problem_(problem) {}

  void visit(std::span<Visit const> visits) { visits_.insert(visits_.end(), visits.begin(), visits.end()); }

  /// Finds who has met whom, gives each infection to `send`, and forgets the day. While it runs nothing may
  /// come to visit, which is so where no rank begins a day before all have ended the one before.
  template <typename Send>
  void spread(Send send) {
    sort();
    for (std::size_t begin = 0; begin < order_.size();) {
      std::size_t end = begin;
      while (end < order_.size() && place_of(order_[end]) == place_of(order_[begin]))
        ++end;
      meet(std::span(order_).subspan(begin, end - begin), send);
      begin = end;
    }
    visits_.clear();
  }

private:
  // A place, and where in visits_ a visit of it is: smaller to sort than visits are.
  using Entry = std::uint64_t;
  static std::uint32_t place_of(Entry entry) { return static_cast<std::uint32_t>(entry >> 32U); }
  Visit const& visit_of(Entry entry) const { return visits_[entry & 0xffffffffU]; }

  void sort();
  bool infects(Visit const& ill, Visit const& other) const;

  template <typename Send>
  void meet(std::span<Entry const> visits, Send send) const {
    for (Entry const first : visits) {
      Visit const& ill = visit_of(first);
      if (ill.health != Health::infectious)
        continue;
      for (Entry const second : visits)
        if (Visit const& other = visit_of(second); infects(ill, other))
          send(Infection{other.person, other.place, ill.person, std::max(ill.arrival, other.arrival)});
    }
  }

  Problem problem_;
  std::vector<Visit> visits_;
  std::vector<Entry> order_;
};

} // namespace thalweg::examples::contagion

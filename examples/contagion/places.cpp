// SPDX-License-Identifier: BSD-3-Clause
#include "contagion/places.hpp"

namespace thalweg::examples::contagion {

void Places::sort() {
  order_.resize(visits_.size());
  for (std::size_t i = 0; i < visits_.size(); ++i)
    order_[i] = (Entry{visits_[i].place} << 32U) | i;
  std::ranges::sort(order_);
}

// The longer they were there together the likelier. All in integers, and drawn by who, where and when: the
// same wherever and in whatever order it is asked.
bool Places::infects(Visit const& ill, Visit const& other) const {
  std::uint32_t const from = std::max(ill.arrival, other.arrival);
  std::uint32_t const to = std::min(ill.departure, other.departure);
  if (other.health != Health::susceptible || from >= to)
    return false;
  std::uint64_t const exposure = std::uint64_t{to - from} * ill.infectivity * other.susceptibility *
                                 ill.contacts_percent / 100 * problem_.transmissibility;
  std::uint64_t const word = draw(problem_.seed + 2, other.person, ill.person, other.place, ill.day, from);
  return (word >> 30U) < exposure; // of 2^34
}

} // namespace thalweg::examples::contagion

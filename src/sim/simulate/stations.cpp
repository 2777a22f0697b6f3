// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/stations.hpp"

namespace thalweg::simulate {

// Nearly always behind all others.
bool Stations::add(std::uint32_t rank, std::uint32_t number, const Operation& one) {
  Station& queue = waiting_at(rank, one);
  std::uint32_t& first = queue.first[list_of(one)];
  std::uint32_t& last = queue.last[list_of(one)];
  if (first == none || states_[last].order < states_[number].order) {
    states_[number].link = none;
    (first == none ? first : states_[last].link) = number;
    last = number;
  } else {
    std::uint32_t* place = &first;
    while (states_[*place].order < states_[number].order)
      place = &states_[*place].link;
    states_[number].link = *place;
    *place = number;
  }
  return first == number;
}

bool Stations::add_message(std::uint32_t target, std::uint32_t message, const Operation& send) {
  Station& queue = waiting_at(target, send);
  if (queue.message != none) {
    const bool is_first = states_[message].order < states_[queue.message].order;
    const std::uint32_t later = is_first ? queue.message : message;
    heaps_.add(queue.heap, states_[later].order, later);
    if (!is_first)
      return false;
  }
  queue.message = message;
  return true;
}

std::vector<Ticks> Stations::ends() const {
  std::vector<Ticks> ends;
  for (std::size_t place = 0; place < stations_.size(); place += program_.nics)
    ends.push_back(stations_[place].cpu);
  return ends;
}

void Stations::fill(Result& result) const {
  result.ends.resize(program_.size());
  result.busy.resize(program_.size());
  const std::size_t places = std::size_t{program_.cpus} * program_.nics;
  for (std::size_t place = 0; place < stations_.size(); place += program_.nics) {
    const std::size_t rank = place / places;
    result.ends[rank] = std::max(result.ends[rank], stations_[place].cpu);
    result.busy[rank] += stations_[place].busy;
  }
}

} // namespace thalweg::simulate

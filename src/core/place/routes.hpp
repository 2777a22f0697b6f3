// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The links between slots, with what each carries of a byte in the time of its capacity; kept where there is
// room for them.

#include "machine/allocation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

/// The part of a byte that a link carries, over the link's capacity.
struct Crossing {
  std::int32_t link = 0; ///< numbered as it was met first: most jobs meet few of a machine's
  float load = 0;
};

class Routes {
public:
  /// Keeps a reference to the allocation. Throws Error for a machine of 2^31 links or more.
  explicit Routes(const machine::Allocation& allocation);

  /// Those that were met so far.
  std::int32_t links() const { return static_cast<std::int32_t>(link_of_.size()); }
  /// The machine's number of a link that was met.
  topology::Link original(std::int32_t link) const { return link_of_[static_cast<std::size_t>(link)]; }
  /// Meets a link of the machine's; gives its number here.
  std::int32_t met(topology::Link link);
  /// Valid until the next call. Not for threads at once.
  std::span<const Crossing> between(std::int32_t from, std::int32_t to);

private:
  void find(std::int32_t from, std::int32_t to, std::vector<Crossing>& route);

  const machine::Allocation* allocation_;
  std::vector<std::int32_t> number_of_; ///< of each of the machine's links; -1: not met
  std::vector<topology::Link> link_of_;
  std::vector<std::int32_t> node_of_; ///< of each slot, numbered from 0
  std::size_t nodes_ = 0;
  std::vector<std::uint32_t> begin_; ///< in kept_, of each pair of nodes; 0: not yet there
  std::vector<Crossing> kept_;       ///< each route behind an entry that has its length as its link
  std::vector<Crossing> route_;
  std::vector<topology::LinkShare> shares_;
};

} // namespace thalweg::place

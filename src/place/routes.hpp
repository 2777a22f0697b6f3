#pragma once

// The links between slots, with what each carries of a byte in the time of its capacity; kept where there is
// room for them.

#include "machine/allocation.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::place {

/// The part of a byte that a link carries, over the link's capacity, and the part itself.
struct Crossing {
  std::int32_t link = 0;
  float load = 0;
};

class Routes {
public:
  /// Keeps a reference to the allocation. Throws Error for a machine of 2^31 links or more.
  explicit Routes(const machine::Allocation& allocation);

  std::int32_t links() const { return links_; }
  /// Valid until the next call. Not for threads at once.
  std::span<const Crossing> between(std::int32_t from, std::int32_t to);

private:
  void find(std::int32_t from, std::int32_t to, std::vector<Crossing>& route);

  const machine::Allocation* allocation_;
  std::int32_t links_;
  std::vector<std::int32_t> node_of_; ///< of each slot, numbered from 0
  std::size_t nodes_ = 0;
  std::vector<std::uint32_t> begin_; ///< in kept_, of each pair of nodes; 0: not yet there
  std::vector<Crossing> kept_;       ///< each route behind an entry that has its length as its link
  std::vector<Crossing> route_;
  std::vector<topology::LinkShare> shares_;
};

} // namespace thalweg::place

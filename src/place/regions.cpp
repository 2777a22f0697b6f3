#include "place/regions.hpp"

#include "place/bisection.hpp"
#include "place/index.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

namespace thalweg::place {

Regions::Regions(const Distances& distances) : order_(at(distances.slots())) {
  std::iota(order_.begin(), order_.end(), 0);
  std::vector<Region> regions{{0, order_.size()}};
  while (true) {
    std::vector<Region> next;
    for (const auto& [begin, end] : regions) {
      const std::size_t half = (end - begin) / 2;
      if (half < 2)
        return;
      halve(distances, order_, begin, end, half);
      next.push_back({begin, begin + half});
      next.push_back({begin + half, end});
    }
    regions = std::move(next);
    levels_.push_back(regions);
  }
}

void Regions::propose(Random& random, std::vector<Exchange>& exchanges) const {
  exchanges.clear();
  const std::vector<Region>& regions = levels_[at(random.below(static_cast<std::int32_t>(levels_.size())))];
  const auto any = [&] { return regions[at(random.below(static_cast<std::int32_t>(regions.size())))]; };
  const Region one = any();
  const Region other = any();
  const std::size_t size = std::min(one.end - one.begin, other.end - other.begin);
  // Halves of halves: a slot's place in its region is a number whose bits say on which side it is.
  const std::size_t mirror = static_cast<std::size_t>(random.next() >> 32) & (std::bit_floor(size) - 1);
  for (std::size_t place = 0; place < size; ++place) {
    const std::size_t image = place < std::bit_floor(size) ? place ^ mirror : place;
    if (one.begin != other.begin || image > place)
      exchanges.push_back({order_[one.begin + place], order_[other.begin + image]});
  }
}

} // namespace thalweg::place

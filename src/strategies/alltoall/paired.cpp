#include "strategies/alltoall/paired.hpp"

namespace thalweg::strategies::alltoall {

void append_direct(Builder& b, std::span<const Exchange> order, Barrier barrier) {
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  append_exchanges(
      b, order, [](Rank to) { return schedule::input(to); }, [](Rank from) { return schedule::output(from); }, barrier);
}

} // namespace thalweg::strategies::alltoall

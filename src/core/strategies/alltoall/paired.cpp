// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/alltoall/paired.hpp"

namespace thalweg::strategies::alltoall {

void append_direct(Builder& b, std::span<const Exchange> order, Pace pace) {
  b.copy(schedule::input(b.rank()), schedule::output(b.rank()));
  append_exchanges(
      b, order, [](Rank to) { return schedule::input(to); }, [](Rank from) { return schedule::output(from); },
      pace);
}

} // namespace thalweg::strategies::alltoall

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/requirements.hpp"

namespace thalweg::simulate {

void Requirements::begin(std::uint32_t rank) {
  const auto operations = program_.operations_of(rank);
  const std::uint32_t begin = program_.ranks[rank].begin;
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    states_[begin + i].order = operations[i].requirements;
    if (operations[i].requirements == 0)
      freed_.push_back({i, 0, {}});
  }
}

void Requirements::sort(std::uint32_t rank) {
  const Operation* const operations = program_.operations_of(rank).data();
  const auto is_before = [operations](const Freed& a, const Freed& b) {
    return operations[a.operation].kind < operations[b.operation].kind;
  };
  if (ties_ == Ties::as_loggopsim)
    std::sort(freed_.begin(), freed_.end(), is_before);
  else
    std::stable_sort(freed_.begin(), freed_.end(), is_before);
}

} // namespace thalweg::simulate

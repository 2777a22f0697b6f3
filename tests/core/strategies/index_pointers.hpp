// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// The index as tests with a strategy for parameter take it.

#include "strategies/index.hpp"

#include <iosfwd>
#include <vector>

namespace thalweg::strategies {

/// Failures name a strategy by what it does.
void PrintTo(const Strategy* strategy, std::ostream* stream);

/// All strategies.
inline std::vector<const Strategy*> index_pointers() {
  std::vector<const Strategy*> result;
  for (const Strategy& strategy : all())
    result.push_back(&strategy);
  return result;
}

} // namespace thalweg::strategies

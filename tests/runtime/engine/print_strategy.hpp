// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "strategies/strategy.hpp"

#include <ostream>

namespace thalweg::strategies {
/// How failures name a strategy.
inline void PrintTo(const Strategy* strategy, std::ostream* stream) {
  *stream << strategy->summary;
}
} // namespace thalweg::strategies

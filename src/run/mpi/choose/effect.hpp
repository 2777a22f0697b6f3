// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What of a selection takes effect in this job: the library's own algorithms do where it was told of them
// when the job started, offloads where they are at hand.

#include "strategies/selection.hpp"

#include <optional>
#include <string>
#include <vector>

namespace thalweg::mpi {

/// What runs a call that was given this implementation. An algorithm of which the library was told is what it
/// runs by itself. The rest falls back.
strategies::Implementation in_effect(const strategies::Implementation& chosen,
                                     const std::optional<strategies::Implementation>& fallback);

/// Of selections made by hand: a line for each that takes no effect. `has_rules`: library_has_rules().
std::vector<std::string> without_effect(const std::vector<strategies::Selection>& selections, bool has_rules);

} // namespace thalweg::mpi

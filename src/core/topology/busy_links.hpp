// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// An interconnect of which other jobs use some links: what is left of these is their capacity.

#include "topology/interconnect.hpp"

#include <memory>
#include <vector>

namespace thalweg::topology {

/// `free_part` has, for each link, the part of its capacity that is left: above 0, at most 1. Distances and
/// routes are as before. The name says that some are busy, not which, so that it is the same from run to run.
/// Throws Error where there is not one part for each link, or one that is out of bounds.
std::shared_ptr<const Interconnect> with_busy_links(std::shared_ptr<const Interconnect> machine,
                                                    std::vector<double> free_part);

} // namespace thalweg::topology

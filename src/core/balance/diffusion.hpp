// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One step of diffusion: each rank looks at its two neighbors in the order alone.
//
// Source: the balancing of Sudheer Kumar 2012, section 4.4.1; of first order (Cybenko 1989).

#include "balance/flow.hpp"

namespace thalweg::balancing {

/// Of two neighbors, the one that is further above its target gives a third of the difference, rounded to the
/// nearest. Repeated, it brings neighbors within a task of each other. A third, as a rank with two neighbors
/// then keeps a third itself. Nobody gives what it does not have. A rank needs its neighbors' loads only.
/// O(ranks).
Flow diffusion(std::span<const Tasks> loads, std::span<const Tasks> targets, std::span<const Rank> order);

} // namespace thalweg::balancing

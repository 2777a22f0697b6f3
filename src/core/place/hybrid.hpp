// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The published hybrid of partitions and GRASP, for more tasks than GRASP alone can do; to compare with.

#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// Sudheer Kumar 2012, section 6.2.3: tasks and slots in parts of about 125, parts onto parts by GRASP with
/// the mean hops and the bytes between them, then tasks onto slots within each pair of parts by GRASP. Bytes
/// that leave a part count for nothing inside of it. Parts of slots are halves of halves, as a partition by
/// small hops would keep far slots together. `rounds` are GRASP's. As many vertices as slots, two at least.
Mapping hybrid(const Graph& graph, const Distances& distances, int rounds);

} // namespace thalweg::place

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The published local search for the most loaded link, to compare with.

#include "pattern/matrix.hpp"
#include "place/distances.hpp"
#include "place/graph.hpp"
#include "place/mapping.hpp"

namespace thalweg::place {

/// LocalOpt (Sudheer Kumar 2012, section 7.2): from EMAHD's best mapping by the most loaded link, swaps as
/// long as one lowers that link's load, in the order of tasks' numbers. It stops where several links are
/// equally loaded.
Mapping local_opt(const pattern::Matrix& matrix, const Graph& graph, const Distances& distances);

} // namespace thalweg::place

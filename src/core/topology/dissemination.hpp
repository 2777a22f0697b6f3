// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Dissemination with radix k (Hensgen, Finkel, Manber 1988 for k = 2; Nishtala 2009, section 6.1 for any): in
// round i a rank tells the ranks k^i, 2 k^i, .., (k-1) k^i ahead of it all that it knows, so that it then
// knows of the k^(i+1) ranks up to itself.

#include "base/rank.hpp"

#include <cstdint>
#include <vector>

namespace thalweg::topology {

/// ceil(log_radix(size)), radix >= 2.
int dissemination_rounds(std::int32_t size, std::int32_t radix);

/// How far ahead those are that a rank tells in that round: the multiples of radix^round below size,
/// ascending.
std::vector<std::int32_t> dissemination_offsets(std::int32_t size, std::int32_t radix, int round);

} // namespace thalweg::topology

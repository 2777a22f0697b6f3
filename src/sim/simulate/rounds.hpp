// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs with too many rounds to be played one by one, as a ring's on 65,536 ranks of a network. Rounds
// that are alike come to take equally long, if nothing from outside disturbs them: then a few of them say
// what all take.

#include "simulate/program.hpp"

namespace thalweg::simulate {

/// How many like rounds the shortest of the program's rows of them has; 0 where it has no row of a hundred.
/// A round is up to 64 operations, with the same peers, costs and requirements. Of folded programs alone.
std::uint32_t like_rounds(const Program& folded);

/// The program of all ranks for which a folded one stands, with so many rounds less in each of its rows. They
/// are taken out of the middle, and have to be fewer than like_rounds().
Program with_fewer_rounds(const Program& folded, std::uint32_t removed);

} // namespace thalweg::simulate

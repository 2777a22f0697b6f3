// SPDX-License-Identifier: BSD-3-Clause

// Compiles: the public header and the library's own know no name in two meanings.

#include "team/team.hpp"
#include "thalweg/team.hpp"
#include "thalweg/thalweg.h"

static_assert(!std::is_same_v<thalweg::team, thalweg::teams::Team>);

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where the ranks of the job are, for the report of one that ends before its ranks have reported.

#include "mpi/observe/missing_ranks.hpp"

#include <string>

namespace thalweg::mpi {

/// What the first ranks of hosts know of all of them; nothing on other ranks, and for jobs on one host.
/// `part` is the file in which this host's ranks count. Called by all ranks, once they know where they are.
observe::JobMap agree_on_hosts(const std::string& part);

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/execution.hpp"

namespace thalweg::mpi {

// Runs an execution to its end: yielding where cores are short, and looking after other executions in flight.
void run_blocking(engine::Runnable& execution, const transport::Transport& transport);

} // namespace thalweg::mpi

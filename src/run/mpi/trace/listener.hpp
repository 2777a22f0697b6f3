// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "mpi/call/call_event.hpp"

namespace thalweg::mpi {

// Appends the call to the trace, from inside of a TracedSpan or of what entered the log.
void trace_ended(const CallEvent& event);

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which communicators have channels from the beginning.

namespace thalweg::mpi {

/// Some rank's program has nonblocking collectives, of which something is learned. The first communicators of
/// each kind are made with channels from now on: they may have no call that blocks, which could open them,
/// and no start waits for others. The same on all ranks.
void open_channels_for_starts();

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The program's streams, which progress in its calls of MPI.

#include "thalweg/interposer.h"

namespace thalweg::mpi {

/// The libraries with streams that are in this process (thalweg/interposer.h): one, unless a program and its
/// interpreter bring one each. Their streams progress in the program's MPI calls.
/// There is room for a few libraries: others are left alone.
void attach_stream_hooks(const thalweg_stream_hooks& hooks);
void detach_stream_hooks(const thalweg_stream_hooks& hooks);

/// All libraries tell what their streams have done.
void ask_stream_hooks_for_reports();

} // namespace thalweg::mpi

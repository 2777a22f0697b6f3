// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What goes on beside the program: the progress thread, and streams in calls of MPI.

#include "thalweg/interposer.h"

namespace thalweg::mpi {

// A thread of each rank that advances collectives in flight while the program computes
// (THALWEG_PROGRESS_THREAD=1).
//
// It needs MPI_THREAD_MULTIPLE, which is asked of the library in the program's stead, and a core to run on.
// It sleeps as long as nothing of ours is in flight.

/// The level to ask for in MPI_Init and MPI_Init_thread: what the program wants, or more where the thread is
/// wanted. Read from this process's environment, as ranks have not met yet; levels may differ between ranks.
int thread_level_to_ask_for(int wanted);

/// Starts the thread if the settings want it; says so and does not where the library gave less than it needs.
void start_progress_thread();
/// Before MPI_Finalize.
void stop_progress_thread();

/// Something of ours has been handed out.
void wake_progress_thread();

/// The libraries with streams that are in this process (thalweg/interposer.h): one, unless a program and its
/// interpreter bring one each. Their streams progress in the program's MPI calls.
/// There is room for a few libraries: others are left alone.
void attach_stream_hooks(const thalweg_stream_hooks& hooks);
void detach_stream_hooks(const thalweg_stream_hooks& hooks);

/// All libraries tell what their streams have done.
void ask_stream_hooks_for_reports();

} // namespace thalweg::mpi

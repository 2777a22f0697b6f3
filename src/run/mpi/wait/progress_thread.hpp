// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A thread of each rank that advances collectives in flight while the program computes: all of them with
// THALWEG_PROGRESS_THREAD=1, else those of a choice with "+thread" (strategies/implementation.hpp).
//
// It begins with the first such operation and sleeps as long as none is in flight. It stands aside while the
// program's own calls advance operations. Operations that call the MPI library need MPI_THREAD_MULTIPLE,
// which is asked of the library in the program's stead. Those that only move bytes through memory need no
// thread level: the thread then calls no function of MPI, and what is left to do at their end is the
// program's next call's.

namespace thalweg::mpi {

/// The level to ask for in MPI_Init and MPI_Init_thread: what the program wants, or more where the thread is
/// wanted for operations that call the library. Read from this process's environment, as ranks have not met
/// yet. Levels may differ between ranks: what a rank's thread advances is nobody else's business.
int thread_level_to_ask_for(int wanted);

/// May the thread advance operations that call the library?
bool thread_may_call_library();

/// How the report names a choice whose thread may not advance a call that calls the library.
const char* name_without_thread(const char* text);

/// For rank 0: why it advances less than was asked for; empty where it does not.
const char* progress_thread_limit();

/// For people: what it has done in this rank, behind how calls wait; empty where it never began.
const char* progress_thread_text();

/// An operation of the thread's has been handed out: starts the thread, or wakes it.
void wake_progress_thread();
/// Before MPI_Finalize. None is started any more.
void stop_progress_thread();

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The line of Python behind a call of mpi4py, whose extension makes the MPI calls of a whole program.
//
// The instruction that the interpreter carries out stands for the place, as a return address does in compiled
// code. It is read where the interpreter keeps it, in this thread's own frame, which nobody else changes
// while the thread is in a call. mpi4py gives the interpreter's lock away before it calls MPI. To take it
// back could wait for a thread that holds it in a call of MPI's and waits for this one. So nothing here takes
// the lock, changes a reference count, or makes an object.

#include <string>

#include "mpi/observe/location.hpp"

namespace thalweg::mpi::observe {

// Is the file mpi4py's extension, in a process whose interpreter keeps frames as is known here (Python 3.11)?
bool calls_for_python(const std::string& file);

// In this thread; null where the interpreter carries out nothing.
const void* python_instruction();

// Keeps the place of the instruction, while this thread carries it out. Code that the program drops may leave
// its memory to other code: that is then reported under the place of the first.
void keep_python_place(const void* instruction);
// The place of an instruction that was kept. Its `function` is empty where none was.
Location kept_python_place(const void* instruction);

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From where a program calls to the place in a file, and from that to the source line; in C and in Python.

#include <cstdint>
#include <string>

namespace thalweg::mpi {

/// Where the program called us: the return address, and the canonical frame address of our entry point, from
/// which a caller behind a language binding can be found (observe/call_table.hpp).
struct CallSite {
  const void* return_address = nullptr;
  const char* frame = nullptr;
};

} // namespace thalweg::mpi

namespace thalweg::mpi::observe {

/// Where a call of the program is. In Python the module is the source file, and the address the line in it.
struct Location {
  std::string module; ///< path of the file; empty for code made at run time
  std::uint64_t address = 0;
  std::string function{}; ///< empty but in Python
};

/// Which loaded file an address lies in. Like dladdr(), which goes through all symbols of the file to find
/// the nearest one too: a millisecond an address in a large library.
struct Module {
  std::string path;       ///< as the loader has it; "" for the program itself
  std::uint64_t base = 0; ///< what the loader added to the file's addresses
  bool found = false;
};

Module module_of(const void* address);

// The line of Python behind a call of mpi4py, whose extension makes the MPI calls of a whole program.
//
// The instruction that the interpreter carries out stands for the place, as a return address does in compiled
// code. It is read where the interpreter keeps it, in this thread's own frame, which nobody else changes
// while the thread is in a call. mpi4py gives the interpreter's lock away before it calls MPI. To take it
// back could wait for a thread that holds it in a call of MPI's and waits for this one. So nothing here takes
// the lock, changes a reference count, or makes an object.

/// Is the file mpi4py's extension, in a process whose interpreter keeps frames as is known here
/// (Python 3.11)?
bool calls_for_python(const std::string& file);

/// In this thread; null where the interpreter carries out nothing.
const void* python_instruction();

/// Keeps the place of the instruction, while this thread carries it out. Code that the program drops may
/// leave its memory to other code: that is then reported under the place of the first.
void keep_python_place(const void* instruction);
/// The place of an instruction that was kept. Its `function` is empty where none was.
Location kept_python_place(const void* instruction);

/// Of an address that calls, or of an instruction of Python's.
Location locate(const void* address);

/// Is it in one of the libraries that programs link, of teams, streams and the like? What they call is part
/// of what the program called them for, and no call of its own.
bool is_in_own_library(const Location& location);

/// What debugging information says of a call; parts that it does not know are empty, or 0.
struct Source {
  std::string text;   ///< see describe_source()
  std::string file{}; ///< whole path
  int line = 0;
  std::string within{}; ///< the function that calls
};

/// Reads it through libthalweg-symbols.so, which lies beside the interposer and is loaded when this is first
/// called.
Source find_source(const Location& location);

/// "file.c:12 (function)", or "function+0x1f (module)", or "module+0x1234".
std::string describe_source(const Location& location);

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// From an address of the program to its place in a file, and from that to the source line.

#include <string>

#include "mpi/observe/location.hpp"

namespace thalweg::mpi::observe {

// Of an address that calls, or of an instruction of Python's (python_calls.hpp).
Location locate(const void* address);

// Is it in one of the libraries that programs link, of teams, streams and the like? What they call is part of
// what the program called them for, and no call of its own.
bool is_in_own_library(const Location& location);

// "file.c:12 (function)", or "function+0x1f (module)", or "module+0x1234". Reads debugging information
// through libthalweg-symbols.so, which lies beside the interposer and is loaded when this is first called.
std::string describe_source(const Location& location);

} // namespace thalweg::mpi::observe

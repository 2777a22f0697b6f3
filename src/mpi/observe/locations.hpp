#pragma once

// Where an address of the program is: module and address in its file, and from those the source line.

#include <cstdint>
#include <string>

namespace thalweg::mpi::observe {

struct Location {
  std::string module; // path of the file; empty for code made at run time
  std::uint64_t address = 0;
};

Location locate(const void* address);

// Is it in one of the libraries that programs link, of teams, streams and the like? What they call is part of
// what the program called them for, and no call of its own.
bool is_in_own_library(const Location& location);

// "file.c:12 (function)", or "function+0x1f (module)", or "module+0x1234". Reads debugging information
// through libthalweg-symbols.so, which lies beside the interposer and is loaded when this is first called.
std::string describe_source(const Location& location);

} // namespace thalweg::mpi::observe

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

// "file.c:12 (function)", or "function+0x1f (module)", or "module+0x1234". Reads debugging information
// through libthalweg-symbols.so, which lies beside the interposer and is loaded when this is first called.
std::string describe_source(const Location& location);

} // namespace thalweg::mpi::observe

#include "mpi/state/runtime.hpp"

#include <cstdio>

namespace thalweg::mpi {

Runtime runtime;

void say(const std::string& text) {
  std::fprintf(stderr, "thalweg: %s\n", text.c_str());
}

} // namespace thalweg::mpi

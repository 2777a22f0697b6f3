#pragma once

// The MPI library's own settings that the user made: they come before everything that Thalweg would choose.

#include <string>
#include <vector>

namespace thalweg::mpi {

// Variables that steer the library's own collectives or waiting, as NAME=value.
std::vector<std::string> user_settings();

// Those of them that choose the library's algorithms for collectives.
std::vector<std::string> user_algorithms();

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The MPI library's own settings: those that the user made come before everything that Thalweg would choose.

#include <string>
#include <vector>

namespace thalweg::mpi {

// Variables that steer the library's own collectives or waiting, as NAME=value.
std::vector<std::string> user_settings();

// Those of them that choose the library's algorithms for collectives.
std::vector<std::string> user_algorithms();

// Whether `thalweg run` told the library of picks and selections among its own algorithms.
bool library_has_rules();

} // namespace thalweg::mpi

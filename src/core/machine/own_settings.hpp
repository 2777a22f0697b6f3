// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Variables that Thalweg itself has set for the ranks of a job. They count nowhere as the user's.

#include <string_view>
#include <vector>

namespace thalweg::machine {

/// The value of an environment variable, or null.
using Environment = const char* (*)(const char* name);

/// The names of the MPI library's variables that the commands of Thalweg have set: `thalweg run` lists them
/// in THALWEG_OWN_SETTINGS, separated by commas.
std::vector<std::string_view> own_settings(Environment environment);

bool is_own_setting(std::string_view name, Environment environment);

} // namespace thalweg::machine

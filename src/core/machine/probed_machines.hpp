// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Where tuning and machine files are if nobody says otherwise.

#include "machine/fingerprint.hpp"
#include "machine/machine.hpp"

#include <string>
#include <vector>

namespace thalweg::machine {

/// The tuning file that commands write to and programs read: thalweg/tuning.toml in the user's data folder.
std::string default_tuning_path(Environment environment);

/// What was probed, newest first: machine files lie beside the tuning file, in machines/. Those that do not
/// read are passed over, as nobody asked for them. None for an empty path.
std::vector<Machine> probed_machines(const std::string& tuning_path);

} // namespace thalweg::machine

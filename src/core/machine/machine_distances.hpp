// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a machine file says of how far cores are apart: its table `distances`.

#include "machine/core_distances.hpp"
#include "machine/machine_fields.hpp"

#include <string>

namespace thalweg::machine {

/// Reads the table, which may be absent. Throws Error naming the file and the place.
CoreDistances read_distances(const toml::table& machine, const Location& file);
/// Appends it; nothing where distances are not known.
void write_distances(std::string& text, const CoreDistances& distances);

} // namespace thalweg::machine

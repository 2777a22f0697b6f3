// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The sides of a mesh or torus as they are written: "4x2", "25x32x24".

#include <cstdint>
#include <string_view>
#include <vector>

namespace thalweg::topology {

/// The numbers of "4x2", all above 0; empty if the text is anything else.
std::vector<std::int32_t> parse_extents(std::string_view text);

} // namespace thalweg::topology

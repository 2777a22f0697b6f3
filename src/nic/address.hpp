// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace thalweg::nic {

/// An IPv4 address in network order, for people: "10.0.0.1".
std::string address_text(std::uint32_t address);

} // namespace thalweg::nic

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which socket a process stays on.

#include <cstddef>
#include <span>
#include <string>

namespace thalweg::job {

// The number of the socket that has all of these cores (ascending), or -1. `folder` is where the kernel tells
// of cores: /sys/devices/system/cpu.
int socket_of(std::span<const std::size_t> cores, const std::string& folder);

} // namespace thalweg::job

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace thalweg {

/// A process's number in its communicator, 0 .. ranks-1.
using Rank = std::int32_t;

} // namespace thalweg

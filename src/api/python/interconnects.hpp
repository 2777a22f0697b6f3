// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Interconnects as Python holds them.

#include "topology/interconnect.hpp"

#include <memory>

namespace thalweg::python {

/// The class thalweg._core.Interconnect.
struct InterconnectHandle {
  std::shared_ptr<const topology::Interconnect> held;
};

} // namespace thalweg::python

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What it costs that network devices run a schedule by themselves (docs/nic.md): the same messages, with
// other figures.

#include "machine/machine.hpp"

namespace thalweg::model {

/// A machine whose ranks are the cards of `machine`, to predict with. A message between nodes takes a hop of
/// cards and its time on the links. All else is nothing: a card hears from its node's ranks without a
/// message, and does not wait for a core. Start and wake are not in it.
machine::Machine device_machine(const machine::Machine& machine);

} // namespace thalweg::model

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Predicts what a schedule costs on a machine: completion time and CPU time, by simulating all ranks'
// schedules in time order with LogGP's parameters (machine/machine.hpp), cores that ranks share, and links
// that messages queue for.
//
// What is modeled: the overheads of both ends by message size and by how far apart they are, packing of
// messages that are not one piece of memory, combining, messages that come before they are asked for, the gap
// between one rank's messages, links between nodes that carry one message after another, with bursts that
// buckets let through, connections that are slower where messages meet, and ranks that wait for a core where
// there are more ranks than cores, or for memory where many copy at once. What is not: caches and other jobs.

#include "machine/machine.hpp"
#include "model/scenario.hpp"
#include "schedule/schedule.hpp"

#include <limits>
#include <span>

namespace thalweg::model {

/// Predicts a collective whose units have `unit_bytes` bytes from all ranks' schedules, in order of ranks.
/// Once it is sure to take longer than `enough_seconds` the rest is not simulated, and the result is a bound.
Prediction predict(std::span<const schedule::Schedule> schedules, std::int64_t unit_bytes,
                   const Scenario& scenario, double enough_seconds = std::numeric_limits<double>::infinity());

/// What a collective takes at least, from some ranks' schedules: their processors' work, and how long their
/// messages hold the links of their nodes. Processor times are these ranks', undisturbed by others.
Prediction predict_lower_bound(std::span<const schedule::Schedule> some, std::int64_t unit_bytes,
                               const Scenario& scenario);

/// Predicts a collective whose ranks all do the same but for names, from one rank's schedule: what it
/// receives comes as late as what it sends at the same place. Exact where all ranks are equally far apart;
/// else a bound from the farthest.
Prediction predict_symmetric(const schedule::Schedule& schedule, std::int64_t unit_bytes,
                             const Scenario& scenario);

/// To predict what it costs that network devices run a schedule by themselves (docs/nic.md): the same
/// messages, with other figures. A machine whose ranks are the cards of `machine`, to predict with. A message
/// between nodes takes a hop of cards and its time on the links. All else is nothing: a card hears from its
/// node's ranks without a message, and does not wait for a core. Start and wake are not in it.
machine::Machine device_machine(const machine::Machine& machine);

} // namespace thalweg::model

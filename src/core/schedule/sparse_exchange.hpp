// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// All-to-alls in which ranks have something for some others only (many-to-many; Kumar 2005, section 3.3.1),
// as predictions and simulations take them: each rank for those after it, which is the source's neighbor-send
// benchmark. In jobs nobody but the two ranks of a pair knows whether there is anything.

#include "schedule/schedule.hpp"

namespace thalweg::schedule {

/// Whether `source` has a block for `destination`, where ranks have one for `degree` others in the mean: for
/// the next ones after it. Of a degree that is no whole number some ranks have one more than others.
bool has_block(Rank source, Rank destination, std::int32_t ranks, double degree);

/// An all-to-all's schedule without the messages and copies whose blocks are all empty: what the engine runs
/// where both ends of each message know its blocks. What waited for them waits for what they waited for.
Schedule without_empty_messages(const Schedule& full, double degree);

/// Mean bytes of a block on its way in messages that go to ranks which pass blocks on: such messages are the
/// same whatever is empty, and say of each block how long it is (engine/self_describing.hpp).
std::int64_t carried_block_bytes(std::int64_t block_bytes, std::int32_t ranks, double degree);

} // namespace thalweg::schedule

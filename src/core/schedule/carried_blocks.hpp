// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What messages carry in all-to-alls in which ranks have something for some others only, where ranks between
// pass blocks on (schedule/sparse_exchange.hpp), and among neighbors, where all have something for each.

#include "schedule/schedule.hpp"

#include <vector>

namespace thalweg::schedule {

/// Of each rank's steps, how many blocks of its message are not empty; 0 of steps that are no messages. Among
/// neighbors `degree` says nothing. Scratch that nobody has written is empty.
/// Follows all ranks' blocks from message to message, so it takes time and memory in proportion to what is
/// moved. Schedules stand in order of ranks.
std::vector<std::vector<std::int64_t>> full_blocks(std::span<const Schedule> schedules, double degree);

/// The bytes of a message that carries so many blocks, of which some are full: each has its length before it
/// (engine/self_describing.hpp).
std::int64_t message_bytes(std::int64_t blocks, std::int64_t full, std::int64_t block_bytes);

/// Of each rank's steps, the bytes of its message.
std::vector<std::vector<std::int64_t>> message_bytes(std::span<const Schedule> schedules, double degree,
                                                     std::int64_t block_bytes);

} // namespace thalweg::schedule

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a group's cards make of an epoch, made in one process of all that ranks have brought to it.

#include "nic/cells.hpp"
#include "nic/lowering.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg::nic {

/// The bits are those of the cards, as each host's ranks and the hosts below are combined in the same order.
/// `brought`: by rank. `by`: the group's operator of users, if it has one.
thalweg_nic_content tree_result(const ScheduleOf& schedule_of, const std::vector<std::int32_t>& nodes,
                                std::span<const thalweg_nic_content> brought, const ElementOperator& by);

} // namespace thalweg::nic

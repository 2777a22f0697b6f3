// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a program gives a call, checked: what is wrong with it is told to all ranks.

#include "balancer/finder.hpp"
#include "thalweg/balance.h"

#include <span>

namespace thalweg::balancing {

struct Given {
  Report report;
  Settings settings;
};

/// Does not throw. O(tasks) where they are weighted.
Given checked(const thalweg_tasks& tasks, const thalweg_balance_options& options);

/// Of numbers; never 0.
std::uint64_t digest(std::span<const std::int32_t> numbers);

} // namespace thalweg::balancing

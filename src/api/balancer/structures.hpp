// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Made from interfaces/ by `make interfaces`: how far a program's version may know a structure.

#include "boundary/sized.hpp"
#include "thalweg/balance.h"

#include <cstddef>

namespace thalweg::boundary {

template <>
struct Known<thalweg_balancer_options> {
  static constexpr const char* name = "thalweg_balancer_options";
  static constexpr const char* initializer = "THALWEG_BALANCER_OPTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_balancer_options::order, offsetof(thalweg_balancer_options, order)),
      end_of(&thalweg_balancer_options::gathered_ranks, offsetof(thalweg_balancer_options, gathered_ranks))};
};

template <>
struct Known<thalweg_balance_options> {
  static constexpr const char* name = "thalweg_balance_options";
  static constexpr const char* initializer = "THALWEG_BALANCE_OPTIONS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_balance_options::scheme, offsetof(thalweg_balance_options, scheme)),
      end_of(&thalweg_balance_options::spread, offsetof(thalweg_balance_options, spread)),
      end_of(&thalweg_balance_options::speed, offsetof(thalweg_balance_options, speed)),
      end_of(&thalweg_balance_options::threshold, offsetof(thalweg_balance_options, threshold)),
      end_of(&thalweg_balance_options::load_seconds, offsetof(thalweg_balance_options, load_seconds)),
      end_of(&thalweg_balance_options::steps, offsetof(thalweg_balance_options, steps)),
      end_of(&thalweg_balance_options::hysteresis, offsetof(thalweg_balance_options, hysteresis)),
      end_of(&thalweg_balance_options::min_gain_seconds,
             offsetof(thalweg_balance_options, min_gain_seconds))};
};

template <>
struct Known<thalweg_tasks> {
  static constexpr const char* name = "thalweg_tasks";
  static constexpr const char* initializer = "THALWEG_TASKS_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_tasks::count, offsetof(thalweg_tasks, count)),
      end_of(&thalweg_tasks::tasks, offsetof(thalweg_tasks, tasks)),
      end_of(&thalweg_tasks::task_bytes, offsetof(thalweg_tasks, task_bytes)),
      end_of(&thalweg_tasks::weights, offsetof(thalweg_tasks, weights)),
      end_of(&thalweg_tasks::pack, offsetof(thalweg_tasks, pack)),
      end_of(&thalweg_tasks::context, offsetof(thalweg_tasks, context))};
};

template <>
struct Known<thalweg_moved> {
  static constexpr const char* name = "thalweg_moved";
  static constexpr const char* initializer = "THALWEG_MOVED_INIT";
  static constexpr std::size_t ends[] = {
      end_of(&thalweg_moved::kept, offsetof(thalweg_moved, kept)),
      end_of(&thalweg_moved::arrived, offsetof(thalweg_moved, arrived)),
      end_of(&thalweg_moved::tasks, offsetof(thalweg_moved, tasks)),
      end_of(&thalweg_moved::bytes, offsetof(thalweg_moved, bytes)),
      end_of(&thalweg_moved::was_worth, offsetof(thalweg_moved, was_worth)),
      end_of(&thalweg_moved::imbalance, offsetof(thalweg_moved, imbalance)),
      end_of(&thalweg_moved::gain_seconds, offsetof(thalweg_moved, gain_seconds)),
      end_of(&thalweg_moved::exchange_seconds, offsetof(thalweg_moved, exchange_seconds))};
};

} // namespace thalweg::boundary

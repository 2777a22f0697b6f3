// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The tables in which closed forms stand, a line for each strategy.

#include "model/message_terms.hpp"
#include "schedule/problem.hpp"

#include <span>
#include <string_view>

namespace thalweg::model {

struct TableLine {
  schedule::Operation operation;
  std::string_view strategy;
  std::string_view source;
  /// Seconds, from two ranks on.
  double (*seconds)(const MessageTerms&, const schedule::Problem&);
  /// Whether the equation holds for these parameters; null: for all.
  bool (*holds)(const schedule::Problem&) = nullptr;
};

/// Messages of several ranks' units are cut even where a segment is as long as a unit.
inline bool has_whole_messages(const schedule::Problem& problem) {
  return problem.parameter("segment") == 0;
}

std::span<const TableLine> exchange_forms();
std::span<const TableLine> tree_forms();

} // namespace thalweg::model

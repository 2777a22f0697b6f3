// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Reads programs in GOAL (Hoefler, Siebert, Lumsdaine 2009) in LogGOPSim's dialect, as text and in the binary
// form that its txt2bin writes. docs/simulation.md has the grammar.

#include "simulate/program.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace thalweg::simulate {

/// A message's costs, from its bytes and between whom it goes.
using CostBetween = std::function<MessageCost(std::int64_t bytes, std::uint32_t from, std::uint32_t to)>;

/// Reads a program, as text or binary, whichever it is; `name` is for errors. Throws Error naming the line,
/// or for binary files the rank, and what is wrong there.
Program read_goal(std::string_view data, const std::string& name, const CostBetween& cost);

/// The two forms by themselves.
Program read_goal_text(std::string_view text, const std::string& name, const CostBetween& cost);
Program read_goal_binary(std::string_view data, const std::string& name, const CostBetween& cost);

} // namespace thalweg::simulate

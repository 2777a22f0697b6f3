// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Reads and writes programs in GOAL (Hoefler, Siebert, Lumsdaine 2009) in LogGOPSim's dialect, as text and in
// the binary form that its txt2bin writes. docs/simulation.md has the grammar.

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

/// The program's text, which read_goal_text() reads back. A receive has the bytes of the message that it
/// meets where messages of a channel come in the order in which they are sent; one for any message, of a
/// byte. That a short send waits for its receiver is no part of GOAL. Throws Error for a folded program.
std::string write_goal(const Program& program);

} // namespace thalweg::simulate

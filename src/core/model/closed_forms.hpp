// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The papers' equations: what a strategy costs as a formula of ranks, bytes and LogGP parameters, without
// looking at its schedule. They stand beside predictions that simulate schedules (model/predict.hpp), for
// comparison and for numbers of ranks for which no schedule is built.
//
// Sources: Kumar 2005, equations 3.1 to 3.16 and 4.1 to 4.6 (all-to-all and all-gather by direct sending,
// meshes and hypercubes, also with holes, hybrids and rings; many-to-many by degree is in
// model/message_terms.hpp); Nishtala 2009 (LogGP of trees and dissemination);
// Alexandrov et al. 1995 (LogGP); Bruck et al. 1997; Thakur, Rabenseifner, Gropp 2005 (recursive doubling and
// halving, rings, pairwise exchange, trees).
//
// In all of them a message of m bytes costs (model/message_terms.hpp)
//   alpha + beta m = o_send + L + o_receive + m (overheads per byte + G),
// and a rank sends and receives at most one in g, with the machine's parameters for messages of that size.
// Left out is what the papers leave out: ranks on several levels of the machine or on shared cores, shared
// links but for a node's own, bursts, messages that come before they are asked for or meet others, what
// single steps of unequal rounds wait for one another, and what is missing of trees that are not full, for
// which the equations take the next fuller one. No card here has memory to send from, so the terms of Kumar's
// cards are the processors': beta_em is beta, and delta, the copy to such memory, is 0.

#include "machine/machine.hpp"
#include "model/message_terms.hpp"
#include "schedule/problem.hpp"

#include <optional>
#include <span>
#include <string_view>

namespace thalweg::model {

struct ClosedForm {
  double seconds = 0;
  std::string_view source; ///< whose equation
};

/// The strategy's equation for a problem with all its parameters, between ranks that are `level` apart, or
/// nothing where there is none for it or for these parameters.
std::optional<ClosedForm> closed_form(std::string_view strategy, const schedule::Problem& problem,
                                      const machine::Machine& machine,
                                      machine::Level level = machine::Level::network);

/// A line of the tables in which closed forms stand, one for each strategy.
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

/// Of what all ranks do alike: rounds in which every rank sends and gets as much as every other.
std::span<const TableLine> exchange_forms();
/// Of trees and chains, for broadcast, reduce, scatter, gather and barrier.
std::span<const TableLine> tree_forms();

} // namespace thalweg::model

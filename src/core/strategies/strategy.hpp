// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a strategy is: a descriptor and one function that appends a rank's steps.
//
// A strategy never mentions MPI, memory, time or progress. Its descriptor stands in the same file as its
// function, and the index (strategies/index.hpp) lists it in one line.

#include "schedule/builder.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::topology {
struct NodePlaces;
}

namespace thalweg::strategies {

using schedule::Builder;
using schedule::Operation;
using schedule::Problem;

enum class ParameterKind { count, bytes, choice };

struct Parameter {
  std::string_view name;
  ParameterKind kind = ParameterKind::count;
  std::int64_t default_value = 0; ///< the value where the user gives none
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view description;
  /// For choices: their names; the value is the position.
  std::vector<std::string_view> choices = {};
  /// Values at which the index's tests prove the strategy; the default value is always among them.
  std::vector<std::int64_t> proven_at = {};
};

struct Strategy {
  std::string_view name;
  Operation operation = Operation::barrier;
  std::string_view summary;   ///< one line: what it does
  std::string_view wins_when; ///< one line: where it is the best choice
  std::string_view source;    ///< the paper and section, or the library, it comes from
  std::vector<Parameter> parameters = {};

  /// Right for operators that do not commute (proven by the verifier).
  bool keeps_rank_order = false;
  /// May run where blocks are of unequal sizes known to sender and receiver, as in the v-variants (proven:
  /// exact shapes).
  bool unequal_blocks = false;
  /// Supports the user's input lying in his output buffer (proven); else the engine copies the input first.
  bool in_place = false;
  /// Looks at which node a rank is on; proven over several shapes of nodes.
  bool uses_nodes = false;
  /// Knows all ranks' neighborhoods, which a job gathers once for a communicator.
  bool uses_graph = false;
  /// Blocking calls run on the network devices where all hosts have an agent; the engine runs the same
  /// schedule elsewhere.
  bool offloads = false;
  /// Who is whose neighbor depends on the numbers of ranks: the index adds the parameter `order`
  /// (strategies/order.hpp).
  bool order_matters = false;

  /// Why the strategy cannot do a problem, or nothing if it can. The null function: it can do any.
  std::function<std::optional<std::string>(const Problem&)> unsupported_reason = nullptr;
  /// The phases of the graph's messages, which all ranks find alike: given to `append` in the problem. The
  /// null function: it has none.
  std::function<std::shared_ptr<const schedule::PhasesOfEdges>(const Problem&, const topology::NodePlaces&)>
      find_phases = nullptr;
  /// Into how many pieces it wants each unit cut. The null function: one.
  std::function<std::int32_t(const Problem&)> pieces = nullptr;
  /// Appends the steps of builder.rank().
  std::function<void(Builder&)> append;
};

} // namespace thalweg::strategies

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What stands for the calls of a traced program: strategies for its collectives, and messages for its
// one-sided calls.

#include "pattern/call_trace.hpp"
#include "simulate/goal.hpp"
#include "simulate/program.hpp"
#include "simulate/program_builder.hpp"
#include "strategies/sample.hpp"
#include "strategies/selection.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

namespace thalweg::simulate {

/// What a traced program is replayed with.
struct ReplayOptions {
  /// Says what the collectives' messages, copies and sums cost; null: LogGOPS' parameters do.
  const machine::Machine* machine = nullptr;
  LogGops loggops = {};
  /// What a message of the program's own costs.
  CostBetween cost;
  /// The node of each rank, numbered from 0; empty: all on one.
  std::vector<std::int32_t> nodes = {};
  /// Strategies for collectives; where there is none, what ran in the recorded run, and for what the library
  /// ran by itself a strategy that is like it (strategies/likely.hpp).
  std::vector<strategies::Selection> selections = {};
  double computation_scale = 1; ///< times as long
};

/// Numbers for what messages meet by: communicator and tag.
class ReplayTags {
public:
  std::uint32_t of(std::uint64_t communicator, std::int64_t tag) { return number({0, communicator, tag}); }
  /// Of a thread's one-sided calls and their answers.
  std::uint32_t asking(std::size_t thread) { return number({1, thread, 0}); }
  std::uint32_t answering(std::size_t thread) { return number({1, thread, 1}); }

private:
  using Key = std::tuple<int, std::uint64_t, std::int64_t>;

  std::uint32_t number(const Key& key) {
    return numbers_.try_emplace(key, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }

  std::map<Key, std::uint32_t> numbers_;
};

/// One-sided calls of a traced program. Each is a message to the rank whose memory it reaches, and an answer
/// that says it is over, with what was read. What a call's beginning takes is its thread's. The rest is a
/// processor's that each rank has for that, as a network interface has: no rank is held up by what reaches
/// its memory.
class RemoteCalls {
public:
  explicit RemoteCalls(const pattern::CallTrace& trace);

  /// The processor for that, behind those of all threads.
  Where server() const { return {server_, 0}; }
  /// Writes what serves the calls that reach the memory of the builder's rank.
  void serve(ProgramBuilder& builder, const ReplayOptions& options, ReplayTags& tags) const;

private:
  struct Call {
    std::int32_t origin;
    std::uint32_t thread; ///< of the origin
    std::uint64_t read;
  };

  std::uint8_t server_ = 0;
  std::vector<std::vector<Call>> reaching_; ///< by rank
};

/// The strategies that a replayed program's collectives run on, and their programs.
class CollectivePrograms {
public:
  /// Keeps references.
  CollectivePrograms(const pattern::CallTrace& trace, const ReplayOptions& options);

  /// The program of a call, whose ranks are the communicator's; null: its blocks go straight from rank to
  /// rank. Throws Error where the call is none.
  const Program* program_of(const pattern::TracedCall& call, const pattern::TracedCommunicator& communicator);

  /// What could not run as it was selected.
  const std::set<std::string>& remarks() const { return remarks_; }

private:
  struct Mean {
    double bytes = 0;
    double blocks = 0;
  };
  using MeanKey = std::pair<std::uint64_t, std::string>; ///< communicator, operation

  void add_to_means(const pattern::TracedRank& rank);
  std::int64_t unit_bytes(const pattern::TracedCall& call,
                          const pattern::TracedCommunicator& communicator) const;
  std::optional<std::string> chosen(const pattern::TracedCall& call, const strategies::Call& known) const;
  strategies::Sample sample_of(const pattern::TracedCall& call, const strategies::Call& known,
                               const std::optional<std::string>& implementation,
                               const strategies::SampleSize& size);
  Program written(const strategies::Sample& sample, std::int64_t unit_bytes) const;

  const ReplayOptions& options_;
  std::map<MeanKey, Mean> means_;
  std::map<std::tuple<std::string, std::string, std::int64_t, std::int32_t, std::vector<std::int32_t>>,
           Program>
      programs_;
  std::set<std::string> remarks_;
};

} // namespace thalweg::simulate

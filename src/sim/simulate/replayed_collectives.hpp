// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The strategies that a replayed program's collectives run on, and their programs.

#include "pattern/call_trace.hpp"
#include "simulate/program.hpp"
#include "simulate/replay_options.hpp"

#include "strategies/sample.hpp"

#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace thalweg::simulate {

class ReplayedCollectives {
public:
  /// Keeps references.
  ReplayedCollectives(const pattern::CallTrace& trace, const ReplayOptions& options);

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
  using MeanKey = std::pair<std::uint64_t, std::string>; // communicator, operation

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

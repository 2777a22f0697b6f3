// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Programs and costs for tests.

#include "simulate/loggp.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/workloads.hpp"

#include <random>

namespace thalweg::simulate {

inline CostOf loggops(const LogGops& parameters = {}) {
  return [parameters](std::int64_t bytes) { return parameters.cost(bytes); };
}

inline std::uint64_t below(std::mt19937_64& random, std::uint64_t bound) {
  return random() % bound;
}

/// A program that comes to its end in whichever order things happen: each message has a tag of its own, and
/// operations require only operations that a run in order of their making has done before.
struct RandomProgram {
  struct Made {
    Kind kind;
    std::uint32_t peer = 0;
    std::uint32_t tag = 0;
    std::int64_t amount = 0;
    std::vector<std::pair<std::uint32_t, bool>> requires_ = {}; ///< operation of the rank, by its start alone
  };
  std::vector<std::vector<Made>> ranks;

  RandomProgram(std::mt19937_64& random, std::uint32_t count, std::uint32_t steps, std::int64_t bytes_max)
      : ranks(count) {
    for (std::uint32_t step = 0; step < steps; ++step) {
      const auto rank = static_cast<std::uint32_t>(below(random, count));
      if (below(random, 3) == 0) {
        add(random, rank, {Kind::compute, 0, 0, static_cast<std::int64_t>(below(random, 20000))});
        continue;
      }
      const auto peer = static_cast<std::uint32_t>(below(random, count));
      const auto bytes = static_cast<std::int64_t>(below(random, static_cast<std::uint64_t>(bytes_max)));
      // A rank that waits for itself to receive would need the receive first.
      if (peer == rank)
        continue;
      add(random, peer, {Kind::receive, rank, step, bytes});
      add(random, rank, {Kind::send, peer, step, bytes});
    }
  }

  /// Of the latest operations some are required. A send of a long message is over only after its receive,
  /// which was made before it, and so required nothing later.
  void add(std::mt19937_64& random, std::uint32_t rank, Made made) {
    auto& list = ranks[rank];
    for (std::uint32_t i = 0; !list.empty() && i < below(random, 3); ++i) {
      const auto back = 1 + below(random, std::min<std::uint64_t>(list.size(), 6));
      made.requires_.emplace_back(static_cast<std::uint32_t>(list.size() - back), below(random, 4) == 0);
    }
    list.push_back(std::move(made));
  }

  Program built(const CostOf& cost) const {
    ProgramBuilder builder(static_cast<std::int64_t>(ranks.size()));
    for (const auto& list : ranks) {
      for (std::uint32_t i = 0; i < list.size(); ++i) {
        const Made& made = list[i];
        if (made.kind == Kind::send)
          builder.send(made.peer, made.tag, cost(made.amount));
        else if (made.kind == Kind::receive)
          builder.receive(made.peer, made.tag);
        else
          builder.compute(made.amount);
        for (const auto& [earlier, is_start] : made.requires_)
          builder.require(i, earlier, is_start);
      }
      builder.end_rank();
    }
    return builder.finish();
  }

  std::string text() const {
    std::string found = "num_ranks " + std::to_string(ranks.size()) + "\n";
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      found += "\nrank " + std::to_string(rank) + " {\n";
      for (std::size_t i = 0; i < ranks[rank].size(); ++i) {
        const Made& made = ranks[rank][i];
        const std::string label = "l" + std::to_string(i + 1);
        const std::string amount = std::to_string(made.amount);
        if (made.kind == Kind::compute)
          found += label + ": calc " + amount + "\n";
        else
          found += label +
                   (made.kind == Kind::send ? ": send " + amount + "b to " : ": recv " + amount + "b from ") +
                   std::to_string(made.peer) + " tag " + std::to_string(made.tag) + "\n";
        for (const auto& [earlier, is_start] : made.requires_)
          found += label + (is_start ? " irequires l" : " requires l") + std::to_string(earlier + 1) + "\n";
      }
      found += "}\n";
    }
    return found;
  }
};

} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One-sided calls of a traced program. Each is a message to the rank whose memory it reaches, and an answer
// that says it is over, with what was read. What a call's beginning takes is its thread's. The rest is a
// processor's that each rank has for that, as a network interface has: no rank is held up by what reaches its
// memory.

#include "pattern/call_trace.hpp"
#include "simulate/program_builder.hpp"
#include "simulate/replay_options.hpp"

#include <map>

namespace thalweg::simulate {

/// Numbers for what messages meet by: communicator and tag.
class ReplayedTags {
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

class RemoteCalls {
public:
  explicit RemoteCalls(const pattern::CallTrace& trace);

  /// The processor for that, behind those of all threads.
  Where server() const { return {server_, 0}; }
  /// Writes what serves the calls that reach the memory of the builder's rank.
  void serve(ProgramBuilder& builder, const ReplayOptions& options, ReplayedTags& tags) const;

private:
  struct Call {
    std::int32_t origin;
    std::uint32_t thread; // of the origin
    std::uint64_t read;
  };

  std::uint8_t server_ = 0;
  std::vector<std::vector<Call>> reaching_; // by rank
};

} // namespace thalweg::simulate

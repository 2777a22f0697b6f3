// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Which message meets which receive. The n-th message that comes from a rank with a tag meets the n-th
// receive that asks for it, both in order of time; a receive of `any` meets the first that fits.

#include "simulate/loggp_events.hpp"
#include "simulate/program.hpp"

#include <functional>
#include <string>
#include <unordered_map>

namespace thalweg::simulate {

/// Operations are named by their numbers among all ranks', a message by its send.
class Matching {
public:
  /// `states` has an entry for each operation, whose links lists of waiting operations use in turn.
  Matching(const Program& program, std::span<OperationState> states);

  /// A rank asks for a message: the one that is here already, or none.
  std::uint32_t post(std::uint32_t rank, std::uint32_t receive, const Operation& operation);
  /// A message has come to a rank: the receive that waits for it, or none.
  std::uint32_t arrive(std::uint32_t message, const Operation& send, std::uint32_t source,
                       std::uint32_t target);

  /// For people: a line for each receive and message that has not met another, not too many.
  std::string list_left() const;

private:
  /// Operations that wait, linked.
  struct List {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  /// Of a rank that receives from any, or any tag.
  struct Lists {
    List receives;
    List messages;
  };

  void append(List& list, std::uint32_t operation);
  std::uint32_t take_first(List& list);
  template <typename Fits>
  std::uint32_t take(List& list, Fits fits);
  List* channel(std::uint32_t rank, std::uint64_t key);
  /// Calls for each operation that has not met another: a receive of the rank, or a message that came to it.
  void for_each_left(const std::function<void(std::uint32_t rank, std::uint32_t operation)>& call) const;

  const Program& program_;
  std::span<OperationState> states_;
  std::vector<List> channels_; ///< either receives or messages: the upper bit of last says which
  std::unordered_map<std::uint32_t, Lists> with_any_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> strays_; ///< messages that no receive is for
};

} // namespace thalweg::simulate

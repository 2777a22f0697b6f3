// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Groups with a card that has no ranks: has them made by the aggregator's agent for this host's jobs, and
// makes them for others where this one is the aggregator's. An aggregator passes on what is for the one above
// it, as hosts know their own alone.

#include "nic/agent/neighbors.hpp"
#include "nic/agent/registry.hpp"
#include "nic/enrollment.hpp"

#include <chrono>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace thalweg::nic {

class Enrollments {
public:
  /// Tells a connection why its group was not made; with no text, that it was.
  using Reply = std::function<void(int connection, const std::string& reason)>;

  /// `own`: this card's address.
  Enrollments(const Aggregation& aggregation, std::uint32_t own, Registry& registry, Neighbors& neighbors,
              Reply reply);

  /// A process of that user wants a group on the aggregator's card. Throws Error where it may not have it.
  void ask(int connection, std::uint32_t user, const thalweg_nic_request& request);
  /// The connection has ended.
  void forget(int connection) { asked_.erase(connection); }
  /// False where it is nothing of the kind.
  bool hear(const Sender& from, std::span<const std::byte> datagram);
  /// Asks again. Gives how soon to come again, in ms.
  int go_on();
  /// The aggregator that has this one's below it, in network order, as far as that has told; 0: none.
  std::uint32_t spine() const { return spine_; }

private:
  using Clock = std::chrono::steady_clock;
  struct Question {
    Enrollment enrollment;
    Clock::time_point due;
    int times = 0;
  };

  /// An enrollment that was passed on, and for whom.
  struct Forwarding {
    std::uint32_t group = 0;
    std::uint64_t key = 0;
    Sender from;
    Clock::time_point when;
  };

  void answer(const Sender& from, const Enrollment& enrollment);
  void pass_on(const Sender& from, const Enrollment& enrollment);
  void hear_answer(const Sender& from, const EnrollmentAnswer& enrolled);
  void ask_for_spine(Clock::time_point now);

  Aggregation aggregation_;
  std::uint32_t own_;
  Registry& registry_;
  Neighbors& neighbors_;
  Reply reply_;
  std::map<int, Question> asked_{}; ///< by connection
  std::vector<Forwarding> passed_{};
  std::uint32_t spine_ = 0;
  Clock::time_point spine_heard_{};
  Clock::time_point spine_due_{};
};

} // namespace thalweg::nic

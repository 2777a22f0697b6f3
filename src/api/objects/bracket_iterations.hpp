// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The iterations of a rank's brackets: in which one each element is, and for each open one what is kept, how
// far its phases are, and who of the others has sent his part.
//
// Few are open at a time: a fast rank's next messages may come before a slow one's last. The memory of those
// that were closed is used again.

#include "base/assertion.hpp"
#include "objects/bracket_routes.hpp"
#include "objects/kept_calls.hpp"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace thalweg::objects {

class BracketIteration {
public:
  explicit BracketIteration(std::int32_t ranks) : groups(ranks) {}

  std::uint32_t number() const { return number_; }
  /// The phase that is sent next.
  std::size_t phase() const { return phase_; }
  std::size_t phases() const { return arrived_.size(); }
  /// Has all come that the next phase hands on?
  bool may_send(const BracketRoutes& routes) const;
  void has_sent_phase() {
    THALWEG_ASSERT(light, phase_ < phases());
    ++phase_;
  }
  /// A message of a phase has come. `messages`: those of its sender, where it is the last one; else 0.
  void note_arrival(std::size_t phase, std::uint32_t messages);
  void note_end_of_element() { ++ended_; }
  std::size_t ended_elements() const { return ended_; }
  std::uint64_t kept_bytes() const;

  KeptGroups groups;         ///< messages, by the ranks that they are for
  KeptMulticasts multicasts; ///< for several ranks each

private:
  friend class BracketIterations;
  void reset(std::uint32_t number, std::size_t phases);

  std::uint32_t number_ = 0;
  std::size_t ended_ = 0; ///< elements
  std::size_t phase_ = 0;
  std::vector<std::size_t> arrived_; ///< by phase: ranks whose last message has come
  std::vector<std::int64_t>
      outstanding_; ///< by phase: messages that these have announced, less those that came
};

class BracketIterations {
public:
  /// Of elements on one of so many ranks.
  explicit BracketIterations(std::int32_t ranks) : ranks_(ranks) {}

  /// From now on. None is open. `keeps`: calls, else elements' iterations are only numbered.
  void use(std::size_t phases, bool keeps);
  bool are_closed() const { return open_.empty(); }

  /// The iteration that an element is in.
  struct ElementPosition {
    std::uint32_t number = 0;
    BracketIteration* iteration = nullptr; ///< null where nothing is kept
  };
  /// Opens it, unless it is open.
  ElementPosition of_element(std::uint32_t element) {
    if (last_ended_ == nullptr || last_element_ != element)
      find(element);
    return {*last_ended_, last_};
  }
  /// The element goes on to its next one. Gives what it has ended, or null.
  BracketIteration* end(std::uint32_t element);
  /// Opens it, unless it is open.
  BracketIteration& of(std::uint32_t number);
  void close(BracketIteration& one);
  /// One that is open, or null.
  BracketIteration* any() { return open_.empty() ? nullptr : open_.back().get(); }
  /// All elements are in iteration 0 again. Those that are open stay so.
  void restart();
  /// Bytes of messages that are kept.
  std::uint64_t kept_bytes() const;

private:
  void find(std::uint32_t element);

  std::int32_t ranks_;
  std::size_t phases_ = 1;
  bool keeps_ = true;
  std::unordered_map<std::uint32_t, std::uint32_t> ended_; ///< iterations, by element
  std::vector<std::unique_ptr<BracketIteration>> open_;
  std::vector<std::unique_ptr<BracketIteration>> spare_; ///< that were closed
  /// An element comes many times in a row.
  std::uint32_t* last_ended_ = nullptr; ///< null: not known any more
  std::uint32_t last_element_ = 0;
  BracketIteration* last_ = nullptr;
};

} // namespace thalweg::objects

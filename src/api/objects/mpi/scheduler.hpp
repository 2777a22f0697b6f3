// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's scheduler: runs messages one after the other, takes in others' while nothing runs, and knows with
// the other ranks when none is left.

#include "control/control.hpp"
#include "job/library/group.hpp"
#include "objects/load_clock.hpp"
#include "objects/message_queue.hpp"
#include "objects/mpi/arrays.hpp"
#include "objects/mpi/held_messages.hpp"
#include "objects/mpi/rank_messages.hpp"
#include "objects/mpi/ticks.hpp"
#include "thalweg/objects.h"

#include <optional>
#include <span>
#include <string>

namespace thalweg::objects {

class Scheduler {
public:
  /// Collective.
  explicit Scheduler(MPI_Comm communicator);

  thalweg_objects_view& view() { return view_; }
  const job::Group& group() const { return group_; }
  control::Control& control() { return control_; }
  const Arrays::Table& arrays() const { return arrays_.all(); }
  /// Those of this rank.
  MessageQueues& queues() { return queues_; }
  /// Those to other ranks and from them.
  RankMessages& messages() { return messages_; }
  CallSample& sample() { return sample_; }

  /// As Arrays::add() and remove(). Throws Error where a message runs.
  std::uint16_t add(const thalweg_objects_array& array, std::uint64_t signature);
  void remove(std::uint16_t number) { arrays_.remove(number); }
  void set_holder(HeldMessages* holder) { holder_ = holder; }

  /// The memory of the message that runs, where no other is in it; else null.
  char* keep() { return is_running() ? running_queue_->release_front().release() : nullptr; }

  void fail(const char* why);
  /// Sends what is in links, and lets MPI go on with large messages. Amid a message too.
  void flush();
  void progress();
  void finish();
  /// That finish() and progress() took until now.
  double running_seconds() const { return 1e-9 * static_cast<double>(running_ns_); }
  /// No message is running. Throws Error.
  void must_not_run(const char* what) const;

private:
  bool is_running() const { return running_queue_ != nullptr; }
  void has_failed(Rank rank, std::string why);
  void run_all(bool takes_in);
  void run_one();
  void look_after_others();
  /// Nothing to run, and nothing large on its way from here.
  bool is_idle() const { return queues_.are_empty() && !messages_.has_large(); }
  control::Verdict run_until_verdict();
  /// Gives how many bytes at its end are messages that come next.
  std::size_t run(const thalweg_message& message);
  void run_until_quiet();

  job::Group group_;
  control::Control control_;
  thalweg_objects_view view_{};
  MessageQueues queues_;
  Arrays arrays_;
  CallSample sample_;
  RankMessages messages_;
  HeldMessages* holder_ = nullptr;
  MessageQueue* running_queue_ = nullptr; ///< where the message is that runs; null: none does
  struct Failure {
    Rank rank = 0;
    std::string why;
  };
  std::optional<Failure> failure_; ///< of a message: others are not run any more
  LoadClock<ThreadClock> load_clock_;
  std::uint64_t looked_ticks_ = 0;
  std::uint64_t running_ns_ = 0;
};

} // namespace thalweg::objects

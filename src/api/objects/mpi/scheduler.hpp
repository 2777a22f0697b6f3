// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's scheduler: runs messages one after the other, takes in others' while nothing runs, and knows with
// the other ranks when none is left.

#include "control/control.hpp"
#include "job/library/group.hpp"
#include "objects/load_clock.hpp"
#include "objects/message_queue.hpp"
#include "objects/mpi/frames.hpp"
#include "objects/mpi/held_messages.hpp"
#include "objects/mpi/large_messages.hpp"
#include "objects/mpi/ticks.hpp"
#include "thalweg/objects.h"
#include "thalweg/stream.h"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::objects {

/// What an element has sent to another, as far as calls were recorded.
struct Exchanged {
  std::uint16_t from_array = 0;
  std::uint16_t to_array = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

class Scheduler {
public:
  /// Collective.
  explicit Scheduler(MPI_Comm communicator);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  thalweg_objects_view& view() { return view_; }
  const job::Group& group() const { return group_; }
  control::Control& control() { return control_; }

  /// Collective. Throws Error on all ranks where signatures differ.
  std::uint16_t add(const thalweg_objects_array& array, std::uint64_t signature);
  void remove(std::uint16_t number) { arrays_.at(number).reset(); }
  const std::vector<std::optional<thalweg_objects_array>>& arrays() const { return arrays_; }

  void refill(int queue, std::size_t bytes) { queues_[queue].refill(bytes); }
  char* place(std::uint32_t rank, std::size_t bytes) { return frames_.place(rank, bytes); }
  char* begin_large(std::size_t bytes);
  void send_large(std::uint32_t rank);

  /// Sends a combined message of so many pieces, which the holder takes there.
  void send_combined(Rank rank, std::uint16_t holder_entry, std::span<const std::span<const char>> pieces);
  /// A message of this rank whose parts lie in another one, at multiples of 16 bytes.
  void deliver(std::span<const char> begin, std::span<const char> rest) {
    char* const at = queues_[1].place(begin.size() + rest.size());
    std::memcpy(at, begin.data(), begin.size());
    std::memcpy(at + begin.size(), rest.data(), rest.size());
  }
  void set_holder(HeldMessages* holder) { holder_ = holder; }
  /// What the report of `thalweg run` says of the communicator's objects.
  void set_remarks(const std::string& lines);

  /// The memory of the message that runs, where no other is in it; else null.
  char* keep() { return is_running_ ? running_queue_->release_front().release() : nullptr; }

  /// From now on calls are recorded, some of them.
  void record_exchanged();
  void sample(std::uint16_t array, std::uint32_t element, std::size_t bytes);
  /// What was recorded, which begins anew.
  std::vector<Exchanged> take_exchanged();

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
  /// What ranks tell each other of large messages, and of failures.
  enum Notice : std::uint16_t { announcement, copied, uncopied, failed };
  static constexpr std::uint16_t control_array = 0xFFFF;
  static constexpr std::uint16_t combined_array = 0xFFFE;

  void take(const thalweg_message& head, const char* arguments);
  void take_announcement(std::uint32_t source, const char* arguments);
  void take_control(const thalweg_message& head, const char* arguments);
  void send_control(Rank rank, Notice what, const void* from, std::size_t bytes);
  void has_failed(Rank rank, std::string why);
  bool has_messages() const { return !queues_[0].is_empty() || !queues_[1].is_empty(); }
  void run_all(bool takes_in);
  void run_one();
  void look_after_others();
  /// Gives how many bytes at its end are messages that come next.
  std::size_t run(const thalweg_message& message);
  std::size_t save(const thalweg_message& message);
  /// Nothing to run, and nothing large on its way from here.
  bool is_idle() const { return !has_messages() && !large_.are_any(); }
  control::Verdict run_until_verdict();
  void run_until_quiet();

  job::Group group_;
  control::Control control_;
  thalweg_objects_view view_{};
  MessageQueue queues_[2];
  Frames frames_;
  LargeMessages large_;
  MessageMemory open_large_;
  std::size_t open_large_bytes_ = 0;
  thalweg_stream* stream_ = nullptr;
  std::vector<std::optional<thalweg_objects_array>> arrays_;
  std::uint64_t taken_ = 0; ///< messages from other ranks
  HeldMessages* holder_ = nullptr;
  bool is_running_ = false;
  MessageQueue* running_queue_ = nullptr; ///< where that message is
  struct Failure {
    Rank rank = 0;
    std::string why;
  };
  std::optional<Failure> failure_; ///< of a message: others are not run any more
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> exchanged_; ///< bytes, by both elements
  LoadClock<ThreadClock> load_clock_;
  std::uint64_t looked_ticks_ = 0;
  std::uint64_t running_ns_ = 0;
};

} // namespace thalweg::objects

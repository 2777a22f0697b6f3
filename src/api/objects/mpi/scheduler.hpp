// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A rank's scheduler: runs messages one after the other, takes in others' while nothing runs, and knows with
// the other ranks when none is left.

#include "control/control.hpp"
#include "job/library/group.hpp"
#include "objects/load_clock.hpp"
#include "objects/message_queue.hpp"
#include "objects/mpi/rank_messages.hpp"
#include "objects/pace.hpp"
#include "thalweg/objects.h"
#include "wait/system.hpp"

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace thalweg::objects {

/// A clock that is read for each message: the processor's, where it has one that runs evenly.
inline std::uint64_t ticks() {
#if defined(__x86_64__)
  return __rdtsc(); // 8 ns, and 20 ns that of the system
#else
  return wait::System::now_ns();
#endif
}

/// How long ticks are, found out while time goes by.
class TickLength {
public:
  double seconds() const {
    const std::uint64_t passed = ticks() - begin_ticks_;
    return passed == 0
               ? 0
               : 1e-9 * static_cast<double>(wait::System::now_ns() - begin_ns_) / static_cast<double>(passed);
  }

private:
  std::uint64_t begin_ticks_ = ticks();
  std::uint64_t begin_ns_ = wait::System::now_ns();
};

/// The clocks of this thread, for LoadClock.
class ThreadClock {
public:
  static std::uint64_t ticks() { return objects::ticks(); }
  static std::uint64_t processor_ns() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    constexpr std::uint64_t ns_per_s = 1'000'000'000;
    return static_cast<std::uint64_t>(now.tv_sec) * ns_per_s + static_cast<std::uint64_t>(now.tv_nsec);
  }
  double ns_per_tick() const { return 1e9 * length_.seconds(); }

private:
  TickLength length_;
};

/// The arrays of a communicator: how messages get to their elements.
class Arrays {
public:
  using Table = std::vector<std::optional<thalweg_objects_array>>;

  /// Collective: gives the array's number, the same on all ranks. Throws Error on all ranks where signatures
  /// differ.
  std::uint16_t add(const thalweg_objects_array& array, std::uint64_t signature, control::Control& ranks);
  /// Its messages are dropped from now on.
  void remove(std::uint16_t number) { all_.at(number).reset(); }
  /// By number; empty where one was removed.
  const Table& all() const { return all_; }

  /// The message's array, or null.
  const thalweg_objects_array* of(const thalweg_message& message) const {
    return message.array < all_.size() && all_[message.array] ? &*all_[message.array] : nullptr;
  }
  /// A message has failed, and none is left.
  void begin_anew() const;

private:
  Table all_;
};

/// What an element has sent to another, as far as calls were recorded.
struct ElementTraffic {
  std::uint16_t from_array = 0;
  std::uint16_t to_array = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
};

/// A sample of calls of elements by elements: one of so many, which stands for them all.
class CallSample {
public:
  /// `view`: who calls, and how many calls there are to a sample.
  explicit CallSample(thalweg_objects_view& view) : view_(view) {}

  /// From now on calls are recorded, some of them.
  void begin();
  /// The element that runs calls this one.
  void add(std::uint16_t array, std::uint32_t element, std::size_t bytes);
  /// What was recorded, which begins anew.
  std::vector<ElementTraffic> take();

private:
  thalweg_objects_view& view_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, double> bytes_; ///< by both elements
};

/// Messages that wait to be sent together, as the scheduler knows them.
class HeldMessages {
public:
  HeldMessages() = default;
  virtual ~HeldMessages() = default;
  HeldMessages(const HeldMessages&) = delete;
  HeldMessages& operator=(const HeldMessages&) = delete;

  /// What Scheduler::send_combined() has brought. So many bytes at its end are messages for this rank, which
  /// are run from where they are.
  virtual std::size_t take(std::uint16_t entry, const char* combined, std::size_t bytes) = 0;
  /// Bytes that wait.
  virtual std::uint64_t held() const = 0;
  /// No message is left on any rank, or on its way. All ranks send what waits, or where a message has failed
  /// drop it, and count anew.
  virtual void begin_epoch(bool sends) = 0;
};

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
  Pace pace_;
  std::uint64_t running_ns_ = 0;
};

} // namespace thalweg::objects

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Moves a rank's tasks as a flow says. Where both ends know how many bytes a message has, it goes at once;
// else a notice of its tasks and bytes goes first. Tasks in a row are sent from where they are.

#include "control/control.hpp"
#include "thalweg/balance.h"

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace thalweg::balancing {

/// Memory for what comes, or is packed, kept from one move to the next: fresh pages would cost more than the
/// bytes in them.
class TaskMemory {
public:
  /// Memory of so many bytes, aligned to 64. What it held before is kept.
  std::byte* room(std::size_t bytes);
  const std::byte* begin() const { return memory_.get(); }
  std::size_t size() const { return size_; }

private:
  struct Free {
    void operator()(std::byte* memory) const { ::operator delete(memory, alignment); }
  };
  static constexpr std::align_val_t alignment{64};

  std::unique_ptr<std::byte, Free> memory_;
  std::size_t size_ = 0;
};

class Mover {
public:
  /// `control` outlives it.
  explicit Mover(control::Control& control) : control_(control) {}

  /// The messages of `transfers`, in each unit of which the tasks weigh `unit`. From then on kept() is known,
  /// as knows_kept() says. Throws Error on all ranks where one could not pack.
  control::Task<void> move(const thalweg_tasks& tasks, std::span<const thalweg_transfer> transfers,
                           double unit);
  /// All tasks stay.
  void stay(const thalweg_tasks& tasks);
  void forget() { known_at_ns_ = 0; }

  bool knows_kept() const { return known_at_ns_ != 0; }
  std::uint64_t known_at_ns() const { return known_at_ns_; }
  std::size_t kept() const { return kept_; }
  std::size_t arrived() const { return arrived_; }
  std::span<const std::byte> arrivals() const { return {arrivals_.begin(), arrived_bytes_}; }
  /// Of a task that was packed lately; 0: none was.
  double packed_task_bytes() const { return packed_task_bytes_; }

private:
  /// A message with tasks first .. end - 1; or one that comes, with so many.
  struct Message {
    Rank rank = -1;
    std::uint64_t tasks = 0;
    std::uint64_t bytes = 0;
    std::size_t first = 0;
    std::size_t at = 0; ///< where its bytes begin in what is packed, or in what arrives
  };
  struct Notice {
    std::uint64_t tasks = 0;
    std::uint64_t bytes = 0;
  };

  void cut(const thalweg_tasks& tasks, std::span<const thalweg_transfer> transfers, double unit);
  /// False: the program's function has failed.
  bool pack(const thalweg_tasks& tasks);
  control::Task<void> notify();
  control::Task<void> exchange(const thalweg_tasks& tasks);

  control::Control& control_;
  std::vector<Message> leaving_;
  std::vector<Message> coming_;
  TaskMemory packed_;
  TaskMemory arrivals_;
  std::uint64_t known_at_ns_ = 0; ///< what is kept; 0: not yet
  std::size_t kept_ = 0;
  std::size_t arrived_ = 0;
  std::size_t arrived_bytes_ = 0;
  double packed_task_bytes_ = 0;
};

} // namespace thalweg::balancing

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What one rank's end of a stream has done: in the phase that is open, in the last one, in all of them, and
// in a bounded number of them for reports. Slots are counted and not items, so an item costs nothing.

#include "base/assertion.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

/// What a rank has seen of a phase, up to its quiescence check. Over the ranks the maximum of each counts.
struct PhaseMeasurement {
  std::uint64_t nanoseconds = 0; ///< since this rank sent its first item
  std::uint64_t sent_bytes = 0;  ///< of items and tags that it put into buffers, for each hop

  void take_maxima(const PhaseMeasurement& other) {
    nanoseconds = std::max(nanoseconds, other.nanoseconds);
    sent_bytes = std::max(sent_bytes, other.sent_bytes);
  }
};

/// Why a slot was sent.
enum class Reason { full, flush, waited, finish };
inline constexpr std::size_t reasons = 4;

struct Statistics {
  std::array<std::uint64_t, reasons> slots{}; ///< sent, by Reason
  std::uint64_t near_bytes = 0;               ///< of items, with tags, sent to ranks of this node and itself
  std::uint64_t far_bytes = 0;                ///< to others
  std::uint64_t far_messages = 0;             ///< that carried them, and marks
  std::uint64_t slot_bytes = 0;               ///< that the slots with these items could have held
  std::uint64_t hops = 0;                     ///< items sent along links, if they are of one size
  std::uint64_t delivered_bytes = 0;          ///< of items that have come to their end
  std::uint64_t waits = 0;                    ///< for a slot
  std::uint64_t waited_ns = 0;                ///< for slots, while arriving items were handled
  std::uint64_t finish_ns = 0;                ///< from the phase's last call to its end
  std::uint64_t duration_ns = 0;              ///< since the end of the phase before
  std::uint64_t waves = 0;
  std::uint64_t phases = 0;
  std::size_t max_overflow_bytes = 0; ///< that handlers have sent and no slot was free for
  std::size_t max_memory_bytes = 0;   ///< of all slots that were touched

  Statistics& operator+=(const Statistics& other) {
    for (std::size_t reason = 0; reason < reasons; ++reason)
      slots[reason] += other.slots[reason];
    near_bytes += other.near_bytes;
    far_bytes += other.far_bytes;
    far_messages += other.far_messages;
    slot_bytes += other.slot_bytes;
    hops += other.hops;
    delivered_bytes += other.delivered_bytes;
    waits += other.waits;
    waited_ns += other.waited_ns;
    finish_ns += other.finish_ns;
    duration_ns += other.duration_ns;
    waves += other.waves;
    phases += other.phases;
    max_overflow_bytes = std::max(max_overflow_bytes, other.max_overflow_bytes);
    max_memory_bytes = std::max(max_memory_bytes, other.max_memory_bytes);
    return *this;
  }
};

/// Of the phases that have ended. Their numbers alone decide which ones are kept, so all ranks keep the same:
/// every one at first, then every second one, every fourth, and so on as they become too many.
class PhaseHistory {
public:
  static constexpr std::size_t capacity = 16;

  struct Phase {
    std::uint64_t number = 0; ///< from 0
    Statistics done;
  };

  /// A phase ended, in which all this was done: it is counted anew from here on.
  void phase_ended(Statistics& done) {
    ++done.phases;
    total_ += done;
    last_ = {count_++, std::exchange(done, {})};
    if (last_.number % stride_ != 0)
      return;
    if (kept_.size() == capacity)
      thin();
    if (last_.number % stride_ == 0)
      kept_.push_back(last_);
  }

  /// Of no phase, as long as none has ended.
  const Statistics& last() const { return last_.done; }
  const Statistics& total() const { return total_; }
  /// In their order, the last one included.
  std::vector<Phase> kept() const {
    std::vector<Phase> phases = kept_;
    if (count_ > 0 && phases.back().number != last_.number)
      phases.push_back(last_);
    return phases;
  }

private:
  void thin() {
    stride_ *= 2;
    std::erase_if(kept_, [this](const Phase& phase) { return phase.number % stride_ != 0; });
  }

  Statistics total_;
  Phase last_;
  std::vector<Phase> kept_;
  std::uint64_t count_ = 0;
  std::uint64_t stride_ = 1;
};

/// The phase that is open, and those before it. Times are of the monotonic clock, in nanoseconds.
class PhaseRecord {
public:
  explicit PhaseRecord(std::uint64_t now_ns) : began_ns_(now_ns) {}

  /// Of the open phase: whoever does something counts it here. The object stays the same in every phase.
  Statistics& open() { return open_; }
  const Statistics& open() const { return open_; }
  const PhaseHistory& phases() const { return history_; }

  /// This rank sends an item, the phase's first one or a later one.
  void item_sent(std::uint64_t now_ns) {
    if (first_item_ns_ == 0)
      first_item_ns_ = now_ns;
  }
  /// What this rank tells the others of the open phase.
  PhaseMeasurement seen(std::uint64_t now_ns) const {
    return {.nanoseconds = first_item_ns_ == 0 ? 0 : now_ns - first_item_ns_,
            .sent_bytes = open_.near_bytes + open_.far_bytes};
  }
  /// So much memory is in use for slots.
  void memory_seen(std::size_t bytes) { open_.max_memory_bytes = std::max(open_.max_memory_bytes, bytes); }
  void finish_began(std::uint64_t now_ns) { finish_began_ns_ = now_ns; }

  /// Of all phases, the open one included.
  Statistics until(std::uint64_t now_ns, std::uint64_t delivered_bytes, std::size_t memory_bytes) const {
    Statistics done = open_;
    complete(done, now_ns, delivered_bytes, memory_bytes);
    Statistics all = history_.total();
    return all += done;
  }
  /// The open phase ends, and the next one begins.
  void phase_ended(std::uint64_t now_ns, std::uint64_t delivered_bytes, std::size_t memory_bytes) {
    THALWEG_ASSERT(normal, finish_began_ns_ >= began_ns_ && now_ns >= finish_began_ns_);
    complete(open_, now_ns, delivered_bytes, memory_bytes);
    open_.finish_ns = now_ns - finish_began_ns_;
    history_.phase_ended(open_);
    began_ns_ = now_ns;
    first_item_ns_ = 0;
  }

private:
  void complete(Statistics& done, std::uint64_t now_ns, std::uint64_t delivered_bytes,
                std::size_t memory_bytes) const {
    done.duration_ns = now_ns - began_ns_;
    done.delivered_bytes = delivered_bytes;
    done.max_memory_bytes = std::max(done.max_memory_bytes, memory_bytes) + done.max_overflow_bytes;
  }

  Statistics open_;
  PhaseHistory history_;
  std::uint64_t began_ns_;
  std::uint64_t finish_began_ns_ = 0;
  std::uint64_t first_item_ns_ = 0; ///< 0: this rank has sent none
};

/// What a rank had to do until its owner evened loads out, and what then moved.
struct RankLoad {
  std::uint64_t number = 0; ///< of that time
  std::uint64_t load_ns = 0;
  std::uint64_t left = 0;
  std::uint64_t entered = 0;
};

/// The first ones and the last ones. All ranks keep the same.
class LoadHistory {
public:
  static constexpr std::size_t capacity = 16; ///< of each

  void add(const RankLoad& load) {
    if (kept_.size() == 2 * capacity)
      kept_.erase(kept_.begin() + capacity);
    kept_.push_back(load);
  }
  const std::vector<RankLoad>& kept() const { return kept_; }

private:
  std::vector<RankLoad> kept_;
};

} // namespace thalweg::streams

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// A plan: a schedule bound to sizes. Every step knows its bytes as offsets into the call's buffers, so that
// running it again with other addresses costs nothing but adding them. A group keeps the plans that it has
// made.

#include "engine/layout.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thalweg::engine {

enum class Base : std::uint8_t { input, output, scratch, staging };

struct Piece {
  Base base = Base::input;
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// How a plan's transport takes part in reductions: messages of granules up to `max_granule` bytes may be
/// combined as they arrive.
struct Combining {
  std::size_t granule = 1; ///< bytes of an element of a reduction, else 1
  std::size_t max_granule = 0;
  bool on_arrival() const { return granule <= max_granule; }
};

struct PlanStep {
  schedule::StepKind kind = schedule::StepKind::copy;
  schedule::Side side = schedule::Side::left;
  /// Nothing to do: a message or copy of no bytes that is no token.
  bool idle = false;
  /// In a simple stage: local work for which messages must have come.
  bool follows_messages = false;
  std::int32_t peer = -1;
  /// Number among the messages with this peer in this direction.
  std::int32_t sequence = 0;
  std::int64_t bytes = 0;
  transport::Multicast multicast = {}; ///< sends of the stage that carry the same bytes
  /// For messages: the place in memory that is sent or received. It is one of the step's own pieces where
  /// there is just one, else staging, packed before or unpacked after. What is combined goes through staging
  /// unless the transport combines.
  Piece message = {};
  schedule::Span source = {}; ///< of messages that are combined: with what, if not with the target
  schedule::Span target = {};
  bool has_successors = false;
  std::uint32_t predecessors = 0;
};

struct PlanStage {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  /// No message waits for another: all start at once and end together. Local work stands before them or,
  /// where it follows messages, behind them all.
  bool is_simple = true;
};

class Plan {
public:
  Plan(const schedule::Schedule& schedule, const Layouts& layouts, const Combining& combining = {});

  std::span<const PlanStep> steps() const { return steps_; }
  std::span<const PlanStage> stages() const { return stages_; }
  std::span<const Piece> source(const PlanStep& step) const {
    return {pieces_.data() + step.source.begin, step.source.size};
  }
  std::span<const Piece> target(const PlanStep& step) const {
    return {pieces_.data() + step.target.begin, step.target.size};
  }
  std::span<const std::uint32_t> successors(std::uint32_t step) const { return successors_.of(step); }
  std::int64_t scratch_bytes() const { return scratch_bytes_; }
  std::int64_t staging_bytes() const { return staging_bytes_; }
  /// Largest number of steps in a stage.
  std::uint32_t widest_stage() const { return widest_stage_; }
  /// Bytes of a message that must come together.
  std::uint32_t granule() const {
    return combining_.on_arrival() ? static_cast<std::uint32_t>(combining_.granule) : 1;
  }

private:
  schedule::Span bind(std::span<const schedule::BlockRange> ranges, const Layouts& layouts);
  void bind_message(PlanStep& step, bool receive);
  void number_multicasts(const schedule::Schedule& schedule, std::size_t stage);
  bool make_simple(const schedule::Schedule& schedule, const PlanStage& stage);
  bool is_sound() const;

  Combining combining_;
  std::vector<PlanStep> steps_;
  std::vector<PlanStage> stages_;
  std::vector<Piece> pieces_;
  schedule::Successors successors_;
  std::int64_t scratch_bytes_ = 0;
  std::int64_t staging_bytes_ = 0;
  std::int64_t stage_staging_bytes_ = 0;
  std::uint32_t widest_stage_ = 0;
};

/// Everything that tells one plan from another, as numbers.
using PlanKey = std::vector<std::int64_t>;

struct PlanKeyHash {
  std::size_t operator()(const PlanKey& key) const {
    std::uint64_t hash = 0x9e3779b97f4a7c15U;
    for (const std::int64_t word : key) {
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0xff51afd7ed558ccdU;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

/// Keeps values until there are too many kinds of them; then it forgets all, as programs that make so many
/// kinds of calls do not come back to them. Values stay good while somebody holds them.
template <typename Value>
class PlanCache {
public:
  static constexpr std::size_t capacity = 512;

  std::shared_ptr<Value> find(const PlanKey& key) const {
    const auto known = values_.find(key);
    return known == values_.end() ? nullptr : known->second;
  }
  void insert(PlanKey key, std::shared_ptr<Value> value) {
    if (values_.size() >= capacity)
      values_.clear();
    values_.insert_or_assign(std::move(key), std::move(value));
  }
  void clear() { values_.clear(); }
  std::size_t size() const { return values_.size(); }

private:
  std::unordered_map<PlanKey, std::shared_ptr<Value>, PlanKeyHash> values_;
};

} // namespace thalweg::engine

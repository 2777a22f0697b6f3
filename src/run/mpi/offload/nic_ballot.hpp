// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/assertion.hpp"
#include "engine/execution.hpp"
#include "engine/plan.hpp"
#include "transport/batch.hpp"

namespace thalweg::mpi {

// Of words of so many bytes: along trees, so that few ranks are connected for it.
std::unique_ptr<engine::Plan> plan_of_round(std::int32_t ranks, Rank rank, std::int64_t bytes);

// Rounds in which all ranks hear a word of each, one after the other, by messages. Nothing waits.
template <class Word>
class NicBallot {
public:
  // `tags` are for it alone while a round is open.
  NicBallot(std::int32_t ranks, Rank rank, std::shared_ptr<transport::Transport> transport, engine::Tags tags)
      : transport_(std::move(transport)), tags_(tags), plan_(plan_of_round(ranks, rank, sizeof(Word))),
        words_(static_cast<std::size_t>(ranks)) {}

  // This rank's word in the next round. It stays as it is while one is open.
  Word& own() { return own_; }
  // All words of the last round, by rank.
  const std::vector<Word>& words() const { return words_; }

  bool is_open() const { return round_ != nullptr; }
  void begin() {
    THALWEG_ASSERT(light, !is_open());
    round_ = std::make_unique<Round>(*plan_, *transport_);
    round_->execution.start({.input = reinterpret_cast<std::byte*>(&own_),
                             .output = reinterpret_cast<std::byte*>(words_.data()),
                             .scratch = round_->scratch.data(),
                             .staging = round_->staging.data()},
                            tags_, nullptr);
  }
  // Goes on; true once all have been heard, which closes the round. Throws what the transport throws.
  bool has_heard_all() {
    THALWEG_ASSERT(light, is_open());
    if (!round_->execution.progress())
      return false;
    round_.reset();
    return true;
  }

private:
  struct Round {
    Round(const engine::Plan& plan, transport::Transport& transport)
        : batch(transport.make_batch()), execution(plan, *batch), scratch(plan.scratch_bytes()),
          staging(plan.staging_bytes()) {}
    std::unique_ptr<transport::Batch> batch;
    engine::Execution execution;
    std::vector<std::byte> scratch;
    std::vector<std::byte> staging;
  };

  std::shared_ptr<transport::Transport> transport_;
  engine::Tags tags_;
  std::unique_ptr<engine::Plan> plan_;
  std::unique_ptr<Round> round_;
  Word own_{};
  std::vector<Word> words_;
};

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/assertion.hpp"
#include "control/collective.hpp"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg::mpi {

/// Rounds in which all ranks hear a word of each, one after the other, by messages along trees, so that few
/// ranks are connected for it. Nothing waits.
template <typename Word>
class NicBallot {
public:
  /// `tags` are for it alone while a round is open; the endpoint outlives it.
  NicBallot(control::Endpoint& endpoint, engine::Tags tags)
      : endpoint_(endpoint), tags_(tags), words_(static_cast<std::size_t>(endpoint.ranks())) {}

  /// This rank's word in the next round. It stays as it is while one is open.
  Word& own() { return own_; }
  /// All words of the last round, by rank.
  const std::vector<Word>& words() const { return words_; }

  bool is_open() const { return round_ != nullptr; }
  void begin() {
    THALWEG_ASSERT(light, !is_open());
    round_ = std::make_unique<control::Collective>(endpoint_, control::allgather_along_trees(own_, words_));
    round_->begin_with(tags_);
  }
  /// Goes on; true once all have been heard, which closes the round. Throws what the transport throws.
  bool has_heard_all() {
    THALWEG_ASSERT(light, is_open());
    if (round_->look() != wait::Look::reached)
      return false;
    round_.reset();
    return true;
  }

private:
  control::Endpoint& endpoint_;
  engine::Tags tags_;
  Word own_{};
  std::vector<Word> words_;
  std::unique_ptr<control::Collective> round_; ///< ends before the words
};

} // namespace thalweg::mpi

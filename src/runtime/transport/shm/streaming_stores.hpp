// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// How long chunks are written into shared memory: through the caches, or past them.
//
// Between cores that are far apart, each line that is written must first be taken out of the reader's cache.
// Stores past the caches (streaming ones) need not wait for that, but the reader then gets its lines from
// memory. Writing 48 KiB and reading them took, in us: 29 + 4 through the caches and 1.5 + 5 past them, where
// a line went there and back in 320 to 400 ns. Between neighbors streaming stores take up to 1.7 times as
// long in sum. How far two cores are apart is known nowhere, and virtual ones move. So the writer takes the
// time of some long chunks. Of shorter ones it takes the time where the reader's lines say that its core may
// be far (line_distance.hpp), until the stores have ended. What such lines take does not decide alone: on
// some processors it is the place of the line's directory that makes loads slow, and no stores.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace thalweg::transport {

/// Has this processor stores past the caches, and a cheap clock?
bool has_streaming_stores();

/// Copies past the caches where has_streaming_stores(). A store with release order afterwards publishes the
/// bytes.
void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes);

enum class Stores { cached, streaming, fastest };

/// Which stores write the next chunk, from what earlier ones took.
class StoreChoice {
public:
  /// `begins_streaming`: such stores are likely to win, and are compared with others at once.
  explicit StoreChoice(Stores stores = Stores::fastest, bool begins_streaming = false);

  /// Of shorter chunks most stores are still under way when the copy is over.
  static constexpr std::size_t min_bytes = std::size_t{16} << 10;

  bool is_streaming() const { return state_ == State::streaming || state_ == State::trying_streaming; }
  /// Is the next chunk to be timed?
  bool is_timed() const { return left_ == 0 && stores_ == Stores::fastest; }
  void chunk_written() { left_ -= left_ > 0 ? 1 : 0; }
  /// A timed chunk took so long.
  void took(std::uint64_t ticks, std::size_t bytes);

private:
  enum class State { cached, trying_streaming, streaming, trying_cached };

  void decide(double cost);
  bool is_worth_a_trial() const;
  void enter(State state, std::uint32_t chunks_before_timed);
  bool streaming_wins(double cached, double margin) const;

  Stores stores_;
  State state_ = State::cached;
  std::uint32_t left_ = 0;        ///< chunks until one is timed
  std::uint32_t window_ = 0;      ///< chunks timed in this state since it was looked at
  std::uint32_t left_to_try_ = 0; ///< timed chunks until streaming stores are tried on suspicion again
  double shortest_ = 0;           ///< of those in the window, ticks per line
  double cached_ = 0;
  double streaming_ = 0;
};

/// One writer's.
class SharedWriter {
public:
  explicit SharedWriter(Stores stores = Stores::fastest)
      : choice_(has_streaming_stores() ? stores : Stores::cached),
        may_stream_(has_streaming_stores() && stores != Stores::cached) {
    far_choices_.fill(StoreChoice(stores, true));
  }

  /// `is_far`: the reader's core may share no cache with the writer's, as far as that is known.
  void copy(std::byte* to, const std::byte* from, std::size_t bytes, bool is_far = false) {
    if (is_far && bytes >= min_far_bytes && bytes < end_far_bytes && may_stream_)
      copy_far(to, from, bytes);
    else if (bytes >= StoreChoice::min_bytes)
      copy_long(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
  }

private:
  /// Shorter chunks go through the caches: up to 512 B that is faster anywhere.
  static constexpr std::size_t min_far_bytes = std::size_t{1} << 10;
  /// Longer ones are chunks of long messages, which the reader reads while the next is written. Time decides
  /// of them: exchanges of 1 MiB past the caches took 1.7 times as long.
  static constexpr std::size_t end_far_bytes = std::size_t{32} << 10;

  void copy_long(std::byte* to, const std::byte* from, std::size_t bytes);
  void copy_far(std::byte* to, const std::byte* from, std::size_t bytes);

  /// A line of a short chunk takes longer than one of a long chunk, so lengths are compared with their like.
  static std::size_t length_class(std::size_t bytes) {
    return static_cast<std::size_t>(std::bit_width(bytes) - std::bit_width(min_far_bytes));
  }

  StoreChoice choice_;
  std::array<StoreChoice, 5> far_choices_; ///< by length_class()
  bool may_stream_;
};

} // namespace thalweg::transport

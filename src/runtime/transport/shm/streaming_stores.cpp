// SPDX-License-Identifier: BSD-3-Clause
#include "transport/shm/streaming_stores.hpp"

#include "transport/shm/segment.hpp"

#include <algorithm>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace thalweg::transport {

namespace {

#if defined(__x86_64__)

using CopyLines = void (*)(std::byte* to, const std::byte* from, std::size_t bytes);

// Each copies whole lines to where a line begins.

__attribute__((target("avx512f"))) void copy_lines_avx512(std::byte* to, const std::byte* from,
                                                          std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += cache_line)
    _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), _mm512_loadu_si512(from + at));
}

__attribute__((target("avx"))) void copy_lines_avx(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(__m256i))
    _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at),
                        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at)));
}

void copy_lines_sse2(std::byte* to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += sizeof(__m128i))
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
}

CopyLines fitting_copy() {
  if (__builtin_cpu_supports("avx512f"))
    return copy_lines_avx512;
  return __builtin_cpu_supports("avx") ? copy_lines_avx : copy_lines_sse2;
}

std::uint64_t ticks() {
  return __rdtsc();
}

// Once all stores so far can be seen by others.
std::uint64_t ticks_after_stores() {
  _mm_mfence();
  _mm_lfence();
  return __rdtsc();
}

#else

std::uint64_t ticks() {
  return 0;
}

std::uint64_t ticks_after_stores() {
  return 0;
}

#endif

// Ticks per line, of counters at 2 to 3 GHz. Reading a line that was written past the caches takes up to 5 ns
// longer.
constexpr double longer_reading = 12;
// Where it is to be gained, a fifth; what was gained is not given up for less than that either.
constexpr double margin_of_gain = 1.25;

constexpr std::uint32_t window = 2; // chunks that are timed: the shorter time was not interrupted
constexpr std::uint32_t chunks_between_timed = 7;
constexpr std::uint32_t timed_between_trials = 32;
constexpr std::uint32_t chunks_between_trials = 512;

} // namespace

bool has_streaming_stores() {
#if defined(__x86_64__)
  return true;
#else
  return false;
#endif
}

void copy_streaming(std::byte* to, const std::byte* from, std::size_t bytes) {
#if defined(__x86_64__)
  static const CopyLines copy_lines = fitting_copy();
  const std::size_t into_line = reinterpret_cast<std::uintptr_t>(to) % cache_line;
  const std::size_t head = into_line == 0 ? 0 : std::min(cache_line - into_line, bytes);
  const std::size_t lines = (bytes - head) / cache_line * cache_line;
  std::memcpy(to, from, head);
  copy_lines(to + head, from + head, lines);
  std::memcpy(to + head + lines, from + head + lines, bytes - head - lines);
  _mm_sfence(); // a store with release order alone does not wait for streaming ones
#else
  std::memcpy(to, from, bytes);
#endif
}

StoreChoice::StoreChoice(Stores stores, bool begins_streaming) : stores_(stores) {
  if (stores_ == Stores::streaming || (stores_ == Stores::fastest && begins_streaming))
    state_ = State::streaming;
}

void StoreChoice::took(std::uint64_t ticks, std::size_t bytes) {
  const double cost = static_cast<double>(ticks) * cache_line / static_cast<double>(bytes);
  shortest_ = window_ == 0 ? cost : std::min(shortest_, cost);
  left_ = state_ == State::cached ? chunks_between_timed : 0;
  if (++window_ == window)
    decide(shortest_);
}

void StoreChoice::decide(double cost) {
  window_ = 0;
  switch (state_) {
  case State::cached:
    cached_ = cost;
    left_to_try_ -= std::min(left_to_try_, window);
    if (is_worth_a_trial())
      enter(State::trying_streaming, 0);
    return;
  case State::trying_streaming:
    streaming_ = cost;
    if (streaming_wins(cached_, margin_of_gain)) {
      enter(State::streaming, chunks_between_trials);
    } else {
      left_to_try_ = timed_between_trials;
      enter(State::cached, chunks_between_timed);
    }
    return;
  case State::streaming:
    streaming_ = cost;
    enter(State::trying_cached, 0);
    return;
  case State::trying_cached:
    cached_ = cost;
    if (streaming_wins(cached_, 1))
      enter(State::streaming, chunks_between_trials);
    else
      enter(State::cached, chunks_between_timed);
    return;
  }
}

bool StoreChoice::is_worth_a_trial() const {
  // At the best such stores cost nothing, and the reading alone is left.
  const bool is_suspicious = left_to_try_ == 0 && cached_ > margin_of_gain * longer_reading;
  return is_suspicious || (streaming_ > 0 && streaming_wins(cached_, margin_of_gain));
}

void StoreChoice::enter(State state, std::uint32_t chunks_before_timed) {
  state_ = state;
  left_ = chunks_before_timed;
}

bool StoreChoice::streaming_wins(double cached, double margin) const {
  return cached > margin * (streaming_ + longer_reading);
}

void SharedWriter::copy_long(std::byte* to, const std::byte* from, std::size_t bytes) {
  const bool is_timed = choice_.is_timed();
  const std::uint64_t begin = is_timed ? ticks() : 0;
  if (choice_.is_streaming())
    copy_streaming(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
  if (is_timed)
    choice_.took(ticks() - begin, bytes);
  else
    choice_.chunk_written();
}

// The fences that a chunk is timed between hold it up by some tens of nanoseconds, so most chunks have none.
void SharedWriter::copy_far(std::byte* to, const std::byte* from, std::size_t bytes) {
  StoreChoice& choice = far_choices_[length_class(bytes)];
  const bool is_timed = choice.is_timed();
  const std::uint64_t begin = is_timed ? ticks_after_stores() : 0;
  if (choice.is_streaming())
    copy_streaming(to, from, bytes);
  else
    std::memcpy(to, from, bytes);
  if (is_timed)
    choice.took(ticks_after_stores() - begin, bytes);
  else
    choice.chunk_written();
}

} // namespace thalweg::transport

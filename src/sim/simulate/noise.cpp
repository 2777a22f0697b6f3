// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/noise.hpp"

#include "base/error.hpp"
#include "base/hash.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>

namespace thalweg::simulate {

namespace {

constexpr std::string_view random_mark = "random:";

std::uint64_t drawn(std::uint64_t seed, std::uint64_t processor) {
  return mixed_hash(mixed_hash(0, seed), processor);
}

/// A number from 0 to `max`.
Ticks drawn_up_to(Ticks max, std::uint64_t hash) {
  return static_cast<Ticks>(hash % (static_cast<std::uint64_t>(max) + 1));
}

} // namespace

Ticks Noise::away(std::uint64_t processor, Ticks begin, Ticks work) const {
  if (measured != nullptr)
    return measured->detours(drawn(seed, processor), begin, work);
  return is_random ? away_at_random(processor, begin, work) : away_regularly(processor, begin, work);
}

Ticks Noise::away_regularly(std::uint64_t processor, Ticks begin, Ticks work) const {
  const Ticks phase = drawn_up_to(period - 1, drawn(seed, processor));
  const Ticks since = (begin + period - phase) % period; // the last detour began
  const Ticks away = since < duration ? duration - since : 0;
  const Ticks until_next = period - std::max(since, duration);
  return work <= until_next ? away : away + ((work - until_next - 1) / (period - duration) + 1) * duration;
}

Ticks Noise::away_at_random(std::uint64_t processor, Ticks begin, Ticks work) const {
  const std::uint64_t own = drawn(seed, processor);
  const Ticks working = period - duration; // of a period
  // How long a period's detour has the processor at work before it.
  const auto before = [&](Ticks number) {
    return drawn_up_to(working, mixed_hash(own, static_cast<std::uint64_t>(number)));
  };
  const Ticks number = begin / period;
  const Ticks since = begin % period;
  const Ticks first = before(number);
  const Ticks done = std::min(since, first) + std::max<Ticks>(0, since - first - duration);
  Ticks away = 0;
  if (since > first)
    away = std::max<Ticks>(0, first + duration - since);
  else if (work > first - since)
    away = duration;
  if (work <= working - done)
    return away;
  const Ticks left = work - (working - done);
  const Ticks whole = (left - 1) / working;
  away += whole * duration;
  return left - whole * working > before(number + 1 + whole) ? away + duration : away;
}

Noise parse_noise(std::string_view text) {
  if (text.starts_with(MeasuredNoise::first_word))
    return {.measured = std::make_shared<const MeasuredNoise>(text)};
  constexpr Ticks period_max = Ticks{1} << 40;
  const bool is_random = text.starts_with(random_mark);
  std::array<Ticks, 3> numbers{0, 0, 1};
  std::size_t count = 0;
  for (std::string_view rest = text.substr(is_random ? random_mark.size() : 0); count < numbers.size();
       ++count) {
    const std::string_view word = rest.substr(0, rest.find(','));
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), numbers[count]);
    if (error != std::errc{} || end != word.data() + word.size())
      break;
    if (word.size() == rest.size()) {
      const auto [period, duration, seed] = numbers;
      if (count == 0 || duration < 1 || duration >= period || period > period_max || seed < 0)
        break;
      return {period, duration, static_cast<std::uint64_t>(seed), is_random};
    }
    rest.remove_prefix(word.size() + 1);
  }
  throw Error(
      fmt::format("noise {:?}", text),
      "write PERIOD,DURATION in nanoseconds, the latter shorter, and perhaps a seed: 1000000,25000,7; "
      "random:1000000,25000 for random moments; or name a file that thalweg machine probe --noise wrote");
}

} // namespace thalweg::simulate

// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/noise.hpp"

#include "base/assertion.hpp"
#include "base/error.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace thalweg::simulate {

namespace {

constexpr Ticks length_max = Ticks{1} << 40;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  const auto last = text.find_last_not_of(" \t\r");
  return first == text.npos ? std::string_view{} : text.substr(first, last - first + 1);
}

std::optional<Ticks> number_in(std::string_view text) {
  Ticks found = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), found);
  if (error != std::errc{} || end != text.data() + text.size() || found < 0 || found > length_max)
    return std::nullopt;
  return found;
}

} // namespace

MeasuredNoise::MeasuredNoise(std::string_view text, std::string name) : name_(std::move(name)) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, length);
    text.remove_prefix(std::min(length + 1, text.size()));
    line = trimmed(line.substr(0, line.find('#')));
    if (number == 1 && line != first_word)
      refuse(number, fmt::format("it begins with {:?}, not with {}", line, first_word));
    if (number > 1 && !line.empty())
      append(line, number);
  }
  if (processors_.empty())
    refuse(1, "no processor");
}

void MeasuredNoise::refuse(std::size_t number, std::string_view what) const {
  throw Error(
      fmt::format("{}:{}: {}", name_, number, what),
      "write 'processor LENGTH' and behind it 'BEGIN DURATION', nanoseconds, one detour after the other; "
      "thalweg machine probe --noise does");
}

void MeasuredNoise::append(std::string_view line, std::size_t number) {
  const std::size_t blank = std::min(line.find_first_of(" \t"), line.size());
  const std::string_view word = line.substr(0, blank);
  const std::optional<Ticks> second = number_in(trimmed(line.substr(blank)));
  if (!second || *second < 1)
    refuse(number, fmt::format("{:?} has no duration above 0", line));
  if (word == "processor") {
    processors_.push_back({*second, 0, {}});
    return;
  }
  const std::optional<Ticks> begin = number_in(word);
  if (!begin || processors_.empty())
    refuse(number, fmt::format("{:?} is no detour of a processor", line));
  Processor& own = processors_.back();
  if (!own.detours.empty() && *begin < own.detours.back().end())
    refuse(number, fmt::format("a detour at {} begins before the one before it has ended", *begin));
  if (*begin + *second > own.length || own.away + *second >= own.length)
    refuse(number, fmt::format("detours up to {} leave nothing of {}", *begin + *second, own.length));
  own.detours.push_back({*begin, *second, own.away});
  own.away += *second;
}

Ticks MeasuredNoise::detours(std::uint64_t drawn, Ticks begin, Ticks work) const {
  THALWEG_ASSERT(normal, begin >= 0 && work > 0);
  const Processor& own = processors_[drawn % processors_.size()];
  const auto length = static_cast<std::uint64_t>(own.length);
  const auto at =
      static_cast<Ticks>((static_cast<std::uint64_t>(begin) + mixed_hash(drawn, 0) % length) % length);
  // At work so far: all since the start, without the detours that began before.
  const auto next = std::ranges::lower_bound(own.detours, at, {}, &Detour::begin);
  Ticks done = at;
  if (next != own.detours.begin()) {
    const Detour& last = *std::prev(next);
    done = last.at_work() + std::max<Ticks>(0, at - last.end());
  }
  const Ticks working = own.length - own.away;
  const Ticks wanted = done + work;
  const Ticks whole = (wanted - 1) / working;
  const Ticks rest = wanted - whole * working;
  const auto behind = std::ranges::lower_bound(own.detours, rest, {}, &Detour::at_work);
  const Ticks away = behind == own.detours.end() ? own.away : behind->away_before;
  return whole * own.length + rest + away - at - work;
}

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
  THALWEG_ASSERT(normal, duration > 0 && duration < period && begin >= 0);
  const Ticks phase = drawn_up_to(period - 1, drawn(seed, processor));
  const Ticks since = (begin + period - phase) % period; // the last detour began
  const Ticks away = since < duration ? duration - since : 0;
  const Ticks until_next = period - std::max(since, duration);
  return work <= until_next ? away : away + ((work - until_next - 1) / (period - duration) + 1) * duration;
}

Ticks Noise::away_at_random(std::uint64_t processor, Ticks begin, Ticks work) const {
  THALWEG_ASSERT(normal, duration > 0 && duration < period && begin >= 0);
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

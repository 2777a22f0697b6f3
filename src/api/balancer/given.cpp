// SPDX-License-Identifier: BSD-3-Clause
#include "balancer/given.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace thalweg::balancing {

namespace {

/// FNV-1a, word by word.
class Digest {
public:
  void add(std::uint64_t word) { state_ = (state_ ^ word) * 0x100000001b3U; }
  std::uint64_t result() const { return state_ | 1U; }

private:
  std::uint64_t state_ = 0xcbf29ce484222325U;
};

bool is_number_from_0(double number) {
  return std::isfinite(number) && number >= 0;
}

Fault fault_of_options(const thalweg_balance_options& options) {
  const bool are_known =
      (options.scheme == thalweg_balance_sweep || options.scheme == thalweg_balance_alias) &&
      (options.spread == thalweg_balance_even || options.spread == thalweg_balance_capped);
  const std::array numbers{options.threshold, options.steps, options.hysteresis, options.min_gain_seconds};
  if (!are_known || !std::ranges::all_of(numbers, is_number_from_0))
    return Fault::option;
  if (!is_number_from_0(options.speed))
    return Fault::speed;
  return is_number_from_0(options.load_seconds) ? Fault::none : Fault::cost;
}

/// Of those that are 0 and have another value then.
double or_else(double given, double usual) {
  return given == 0 ? usual : given;
}

} // namespace

std::uint64_t digest(std::span<const std::int32_t> numbers) {
  Digest digest;
  for (const std::int32_t number : numbers)
    digest.add(static_cast<std::uint64_t>(number));
  return digest.result();
}

Given checked(const thalweg_tasks& tasks, const thalweg_balance_options& options) {
  Given given;
  given.settings.service = options.scheme == thalweg_balance_sweep ? Service::sweep : Service::alias;
  given.settings.spread = options.spread == thalweg_balance_capped ? Spread::capped : Spread::even;
  const Terms usual;
  given.settings.terms = {options.threshold, or_else(options.steps, usual.steps),
                          or_else(options.hysteresis, usual.hysteresis), options.min_gain_seconds};
  Report& report = given.report;
  report.tasks = static_cast<Tasks>(std::min<std::size_t>(tasks.count, tasks_max + 1));
  report.speed = or_else(options.speed, 1);
  report.load_seconds = options.load_seconds;
  report.bytes = static_cast<double>(tasks.count) * static_cast<double>(tasks.task_bytes);
  report.is_weighted = tasks.weights != nullptr;
  report.fault = fault_of_options(options);
  if (tasks.pack == nullptr && tasks.task_bytes == 0 && tasks.count > 0)
    report.fault = Fault::option;
  for (std::size_t task = 0; report.is_weighted && task < tasks.count; ++task) {
    report.weight += tasks.weights[task];
    if (!is_number_from_0(tasks.weights[task]))
      report.fault = Fault::weight;
  }
  if (!std::isfinite(report.weight))
    report.fault = Fault::weight;
  Digest alike;
  const auto number = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  for (const std::uint64_t word :
       {std::uint64_t{tasks.task_bytes}, std::uint64_t{tasks.pack != nullptr},
        std::uint64_t{report.is_weighted}, static_cast<std::uint64_t>(options.scheme),
        static_cast<std::uint64_t>(options.spread), number(options.threshold), number(options.steps),
        number(options.hysteresis), number(options.min_gain_seconds)})
    alike.add(word);
  report.settings = alike.result();
  return given;
}

} // namespace thalweg::balancing

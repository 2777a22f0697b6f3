// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_choice.hpp"

#include "base/units.hpp"
#include "model/many_to_many.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::objects {

namespace {

using evidence::Situation;

Situation situation_of(double messages, double message_bytes, bool is_multicast) {
  return {evidence::load_class(messages), evidence::load_class(message_bytes), is_multicast ? 1 : 0};
}

} // namespace

BracketChoice::BracketChoice(machine::Machine machine, machine::Level level, std::int32_t ranks, Terms terms)
    : machine_(std::move(machine)), level_(level), ranks_(ranks), terms_(std::move(terms)),
      options_(options_of(ranks)), tuner_(options_.size(), {}) {}

std::vector<BracketChoice::Option> BracketChoice::options_of(std::int32_t ranks) {
  std::vector<Option> options;
  for (const Combining one :
       {Combining::direct, Combining::stream, Combining::mesh, Combining::grid, Combining::hypercube}) {
    const std::vector<std::int32_t> sides = sides_of(one, ranks);
    if (one == Combining::stream || std::ranges::find(options, sides, &Option::sides) == options.end())
      options.push_back({one, sides});
  }
  return options;
}

std::vector<double> BracketChoice::predicted(const Period& period) const {
  const model::MessageTerms terms(machine_, level_);
  std::vector<double> seconds(options_.size());
  std::ranges::transform(options_, seconds.begin(), [&](const Option& option) {
    return model::many_to_many_seconds(terms, option.sides, period.pattern);
  });
  return seconds;
}

void BracketChoice::decide(const Period& period, bool has_turn) {
  if (period.pattern.mean.messages <= 0) {
    explanation_ = fmt::format("nothing was sent in brackets; {} stays", to_text(current()));
    return;
  }
  const std::vector<double> predicted = this->predicted(period);
  if (terms_.may_try)
    tune(period, predicted, has_turn);
  else
    models_option_ = static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin());
  explain(period, predicted, has_turn);
}

void BracketChoice::tune(const Period& period, const std::vector<double>& predicted, bool has_turn) {
  const model::Volume& mean = period.pattern.mean;
  const Situation situation = situation_of(mean.messages, mean.bytes / mean.messages,
                                           std::llround(period.pattern.multicast) == 1); // most bytes
  if (tuner_.enter(situation, predicted))
    recall(situation);
  if (!tuner_.is_open())
    tuner_.skip();
  else if (has_turn)
    tuner_.observe(period.seconds, period.total_seconds);
  else
    tuner_.use_best();
}

void BracketChoice::recall(const Situation& situation) {
  for (const FoundStrategy& one : terms_.found)
    for (std::size_t option = 0; option < options_.size(); ++option)
      if (options_[option].combining == one.combining &&
          situation_of(one.messages, one.message_bytes, one.is_multicast) == situation)
        tuner_.recall(option, one.seconds);
}

std::vector<FoundStrategy> BracketChoice::results() const {
  std::vector<FoundStrategy> results;
  for (const auto& [situation, option, seconds] : tuner_.findings())
    results.push_back({evidence::class_min(situation[0]), evidence::class_min(situation[1]),
                       situation[2] == 1, options_[option].combining, seconds});
  return results;
}

std::string_view BracketChoice::use_of_current(bool has_turn) const {
  if (terms_.may_try && tuner_.is_recalled())
    return "used, as an earlier job has found";
  if (!terms_.may_try || tuner_.is_known(tuner_.current()))
    return "used";
  return has_turn ? "tried" : "used until its turn to try others";
}

void BracketChoice::explain(const Period& period, const std::vector<double>& predicted, bool has_turn) {
  const auto& [mean, sender, receiver, multicast] = period.pattern;
  explanation_ =
      fmt::format("a rank sends to {:.3g} of {} ranks, {:.0f} B to each (the busiest: {:.3g} ranks, {:.0f} B "
                  "in all{}); {} is {}",
                  mean.messages, ranks_, mean.bytes / mean.messages,
                  std::max(sender.messages, receiver.messages), std::max(sender.bytes, receiver.bytes),
                  multicast > 0 ? fmt::format(", {:.0f} % of it in multicasts", 100 * multicast) : "",
                  to_text(current()), use_of_current(has_turn));
  const char* separator = ": ";
  for (std::size_t option = 0; option < options_.size(); ++option) {
    explanation_ += fmt::format("{}{} {} predicted", separator, to_text(options_[option].combining),
                                format_seconds(predicted[option]));
    if (terms_.may_try && tuner_.is_known(option))
      explanation_ += fmt::format(" and steps of {}", format_seconds(tuner_.expected(option)));
    separator = ", ";
  }
}

} // namespace thalweg::objects

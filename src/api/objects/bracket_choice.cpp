// SPDX-License-Identifier: BSD-3-Clause
#include "objects/bracket_choice.hpp"

#include "base/units.hpp"
#include "model/message_terms.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace thalweg::objects {

Period period_of(std::span<const RankPeriod> ranks) {
  Period all;
  model::Volume sum;
  double multicast = 0;
  model::Volume sent;
  model::Volume received;
  const auto raise = [](model::Volume& max, double messages, double bytes) {
    max.messages = std::max(max.messages, messages);
    max.bytes = std::max(max.bytes, bytes);
  };
  for (const RankPeriod& one : ranks) {
    all.iterations = std::max(all.iterations, one.iterations);
    all.total_seconds = std::max(all.total_seconds, one.seconds);
    sum.messages += one.messages;
    sum.bytes += one.bytes;
    multicast += one.multicast_bytes;
    raise(sent, one.messages, one.bytes);
    raise(received, one.received_messages, one.received_bytes);
  }
  if (all.iterations <= 0)
    return all;
  if (received.messages <= 0)
    received = sent;
  const auto each = [&](const model::Volume& of, double parts) {
    return model::Volume{of.messages / parts, of.bytes / parts};
  };
  all.pattern = {each(sum, all.iterations * static_cast<double>(ranks.size())), each(sent, all.iterations),
                 each(received, all.iterations), sum.bytes > 0 ? std::min(1.0, multicast / sum.bytes) : 0};
  all.seconds = all.total_seconds / all.iterations;
  return all;
}

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
  for (const BracketStrategy one : {BracketStrategy::direct, BracketStrategy::stream, BracketStrategy::mesh,
                                    BracketStrategy::grid, BracketStrategy::hypercube}) {
    const std::vector<std::int32_t> sides = sides_of(one, ranks);
    if (one == BracketStrategy::stream || std::ranges::find(options, sides, &Option::sides) == options.end())
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

void BracketTurns::decide(std::span<const Member> members, bool have_moved) {
  const auto trying = std::ranges::find(members, turn_, &Member::number);
  if (have_moved && trying != members.end())
    trying->choice->begin_anew(); // what was measured is another distribution's
  bool others_change = false;
  for (const Member& one : members) {
    const BracketStrategy before = one.choice->current();
    one.choice->decide(one.period, one.number == turn_);
    others_change |= one.number != turn_ && one.choice->current() != before;
  }
  if (others_change && trying != members.end())
    trying->choice->begin_anew();
  if (trying != members.end() && trying->choice->wants_turn())
    return;
  // The next one behind it that wants a turn, and else the first.
  const auto wants = [](const Member& one) { return one.choice->wants_turn(); };
  auto next =
      std::ranges::find_if(members, [&](const Member& one) { return one.number > turn_ && wants(one); });
  if (next == members.end())
    next = std::ranges::find_if(members, wants);
  if (next != members.end())
    turn_ = next->number;
}

} // namespace thalweg::objects

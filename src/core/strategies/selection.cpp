// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/selection.hpp"

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "strategies/words.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::strategies {

namespace {

const Call& call_named(std::string_view name, std::string_view whole) {
  if (name.empty())
    throw Error(fmt::format("no operation in {}", quoted(whole)), std::string(grammar));
  if (const Call* call = find_call(name))
    return *call;
  std::vector<std::string_view> names;
  for (const Call& call : calls())
    names.push_back(call.name);
  throw Error(fmt::format("no operation {}", quoted(name)),
              fmt::format("did you mean {}?", fmt::join(nearest(name, names), ", ")));
}

// Commas may stand between selections too, as far as no parameters stand before: those are parted by commas
// themselves.
std::vector<std::string_view> selection_texts(std::string_view text) {
  std::vector<std::string_view> texts;
  for (std::string_view part : split(text, ';')) {
    for (std::size_t comma; (comma = part.find(',')) < part.find(':'); part.remove_prefix(comma + 1))
      texts.push_back(part.substr(0, comma));
    texts.push_back(part);
  }
  return texts;
}

} // namespace

Selection parse_selection(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos)
    throw Error(fmt::format("{} selects nothing", quoted(text)), std::string(grammar));
  const Call& call = call_named(trimmed(text.substr(0, equals)), text);
  const std::string_view right = trimmed(text.substr(equals + 1));
  if (right.empty() || right.starts_with(':'))
    throw Error(fmt::format("no strategy in {}", quoted(text)), std::string(grammar));
  return {&call, parse_implementation(right, call)};
}

std::vector<Selection> parse_selections(std::string_view text) {
  std::vector<Selection> selections;
  if (trimmed(text).empty())
    return selections;
  for (const std::string_view part : selection_texts(text)) {
    Selection selection = parse_selection(part);
    if (std::ranges::find(selections, selection.call, &Selection::call) != selections.end())
      throw Error(fmt::format("two strategies are selected for {}", selection.call->name), "select one");
    selections.push_back(std::move(selection));
  }
  return selections;
}

const Scheduled& schedule_of(const Selection& selection) {
  if (const auto* scheduled = std::get_if<Scheduled>(&selection.implementation))
    return *scheduled;
  throw Error(fmt::format("{} has no schedule", to_text(selection)),
              fmt::format("'thalweg strategies {}' lists those that have",
                          schedule::name(selection.call->operation)));
}

std::string to_text(const Selection& selection) {
  return fmt::format("{}={}", selection.call->name, to_text(selection.implementation));
}

std::string to_text(std::span<const Selection> selections) {
  std::string text;
  for (const Selection& selection : selections)
    text += (text.empty() ? "" : ";") + to_text(selection);
  return text;
}

const Selection* selected(std::span<const Selection> selections, const Call& call) {
  const Selection* general = nullptr;
  for (const Selection& selection : selections) {
    if (selection.call == &call)
      return &selection;
    if (selection.call->operation == call.operation && !selection.call->is_variant)
      general = &selection;
  }
  return general;
}

} // namespace thalweg::strategies

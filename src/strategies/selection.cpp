#include "strategies/selection.hpp"

#include "core/error.hpp"
#include "core/units.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::strategies {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Calls `visit` for each non-empty part between separators.
template <typename Visit>
void for_each_part(std::string_view text, char separator, Visit&& visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (const std::string_view part = trimmed(text.substr(0, end)); !part.empty())
      visit(part);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// "a=b" as {a, b}; throws Error quoting the text if it is not of that form.
std::pair<std::string_view, std::string_view> assignment(std::string_view text, std::string_view expected) {
  const std::size_t equals = text.find('=');
  const std::string_view left = trimmed(text.substr(0, equals));
  const std::string_view right = equals == std::string_view::npos ? "" : trimmed(text.substr(equals + 1));
  if (left.empty() || right.empty())
    throw Error(fmt::format("'{}' cannot be understood", text), fmt::format("write {}", expected));
  return {left, right};
}

Operation operation_of(std::string_view text) {
  if (const auto operation = schedule::parse_operation(text))
    return *operation;
  std::vector<std::string_view> names;
  for (const Operation known : schedule::all_operations())
    names.push_back(schedule::name(known));
  throw Error(fmt::format("no operation '{}'", text), fmt::format("choose one of {}", fmt::join(names, ", ")));
}

std::int64_t choice_of(const Parameter& parameter, std::string_view text) {
  const auto found = std::ranges::find(parameter.choices, text);
  if (found == parameter.choices.end())
    throw Error(fmt::format("'{}' is no {}", text, parameter.name),
                fmt::format("choose one of {}", fmt::join(parameter.choices, ", ")));
  return found - parameter.choices.begin();
}

std::int64_t number_of(const Parameter& parameter, std::string_view text) {
  std::int64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{}={} is no whole number", parameter.name, text),
                fmt::format("choose {} to {}", parameter.least, parameter.most));
  return number;
}

std::int64_t value_of(const Strategy& strategy, std::string_view name, std::string_view text) {
  const auto parameter = std::ranges::find(strategy.parameters, name, &Parameter::name);
  if (parameter == strategy.parameters.end())
    return 0; // resolve() explains that there is no such parameter
  switch (parameter->kind) {
  case ParameterKind::count: return number_of(*parameter, text);
  case ParameterKind::bytes: return parse_bytes(text);
  case ParameterKind::choice: return choice_of(*parameter, text);
  }
  return 0;
}

} // namespace

Selection parse_selection(std::string_view operation, std::string_view text) {
  Selection selection{.operation = operation_of(trimmed(operation))};
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = trimmed(text.substr(0, colon));
  const std::string_view parameters = text.substr(std::min(colon + 1, text.size()));
  if (name == native) {
    if (!trimmed(parameters).empty())
      throw Error(fmt::format("{} {} takes no parameters", schedule::name(selection.operation), native),
                  fmt::format("leave out ':{}'", trimmed(parameters)));
    return selection;
  }
  selection.strategy = &find(selection.operation, name);
  schedule::Parameters given;
  for_each_part(parameters, ',', [&](std::string_view part) {
    const auto [parameter, value] = assignment(part, "parameter=value");
    given.emplace_back(parameter, value_of(*selection.strategy, parameter, value));
  });
  selection.parameters = resolve(*selection.strategy, given);
  return selection;
}

std::vector<Selection> parse_selections(std::string_view text) {
  std::vector<Selection> selections;
  for_each_part(text, ';', [&](std::string_view part) {
    const auto [operation, strategy] = assignment(part, "operation=strategy[:parameter=value,...]");
    const Selection selection = parse_selection(operation, strategy);
    if (std::ranges::find(selections, selection.operation, &Selection::operation) != selections.end())
      throw Error(fmt::format("{} is selected twice", operation), "select one strategy for each operation");
    selections.push_back(selection);
  });
  return selections;
}

} // namespace thalweg::strategies

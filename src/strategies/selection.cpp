#include "strategies/selection.hpp"

#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/units.hpp"
#include "schedule/buffers.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::strategies {

namespace {

constexpr std::string_view grammar = "write operation=strategy[:parameter=value,..], several joined by ';'";

constexpr std::array<Call, 22> call_table{{
    {"barrier", Operation::barrier},
    {"broadcast", Operation::broadcast},
    {"reduce", Operation::reduce},
    {"allreduce", Operation::allreduce},
    {"gather", Operation::gather},
    {"gatherv", Operation::gather, true, true},
    {"scatter", Operation::scatter},
    {"scatterv", Operation::scatter, true, true},
    {"allgather", Operation::allgather},
    {"allgatherv", Operation::allgather, true, true},
    {"alltoall", Operation::alltoall},
    {"alltoallv", Operation::alltoall, true, true},
    {"alltoallw", Operation::alltoall, true, true},
    {"reduce_scatter", Operation::reduce_scatter, false, true},
    {"reduce_scatter_block", Operation::reduce_scatter, true},
    {"scan", Operation::scan},
    {"exscan", Operation::exscan},
    {"neighbor_allgather", Operation::neighbor_allgather},
    {"neighbor_allgatherv", Operation::neighbor_allgather, true, true},
    {"neighbor_alltoall", Operation::neighbor_alltoall},
    {"neighbor_alltoallv", Operation::neighbor_alltoall, true, true},
    {"neighbor_alltoallw", Operation::neighbor_alltoall, true, true},
}};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\n";
  const auto begin = text.find_first_not_of(blanks);
  return begin == std::string_view::npos ? std::string_view{}
                                         : text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// The text cut at each `separator`, trimmed; one piece more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos)
      return parts;
    text.remove_prefix(at + 1);
  }
}

/// What the user wrote, fit to be quoted in a message of one line.
std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char c : text.substr(0, 60))
    result += c >= ' ' && c <= '~' ? c : '?';
  return result + (text.size() > 60 ? "..'" : "'");
}

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

const Strategy* strategy_named(std::string_view name, const Call& call, std::string_view whole) {
  if (name.empty())
    throw Error(fmt::format("no strategy in {}", quoted(whole)), std::string(grammar));
  if (name == "native")
    return nullptr;
  const std::span<const Strategy> known = of(call.operation);
  const auto found = std::ranges::find(known, name, &Strategy::name);
  if (found == known.end()) {
    std::vector<std::string_view> names{"native"};
    for (const Strategy& strategy : known)
      names.push_back(strategy.name);
    throw Error(fmt::format("no strategy {} for {}", quoted(name), call.name),
                fmt::format("did you mean {}? 'thalweg strategies {}' lists all",
                            fmt::join(nearest(name, names), ", "), schedule::name(call.operation)));
  }
  if (!supports(*found, call))
    throw Error(fmt::format("{} {} needs blocks of equal size, which {} does not have",
                            schedule::name(call.operation), name, call.name),
                fmt::format("choose another strategy for {}, or native", call.name));
  return &*found;
}

std::string place(const Strategy& strategy, std::string_view parameter) {
  return fmt::format("{} {}: {}", schedule::name(strategy.operation), strategy.name, quoted(parameter));
}

std::int64_t parse_value(const Strategy& strategy, const Parameter& parameter, std::string_view text) {
  switch (parameter.kind) {
  case ParameterKind::bytes:
    try {
      return parse_bytes(text);
    } catch (const Error& error) {
      throw Error(fmt::format("{}={} is not a size", place(strategy, parameter.name), quoted(text)),
                  error.remedy());
    }
  case ParameterKind::choice: {
    const auto choice = std::ranges::find(parameter.choices, text);
    if (choice == parameter.choices.end())
      throw Error(fmt::format("{}={} is no choice", place(strategy, parameter.name), quoted(text)),
                  fmt::format("choose one of {}", fmt::join(parameter.choices, ", ")));
    return choice - parameter.choices.begin();
  }
  case ParameterKind::count:
    break;
  }
  std::int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc{} || end != text.data() + text.size())
    throw Error(fmt::format("{}={} is not a whole number", place(strategy, parameter.name), quoted(text)),
                fmt::format("choose {} to {}", parameter.min, parameter.max));
  return value;
}

std::pair<std::string, std::int64_t> parse_parameter(const Strategy& strategy, std::string_view text) {
  const auto equals = text.find('=');
  const std::string_view name = trimmed(text.substr(0, equals));
  if (name.empty() || equals == std::string_view::npos)
    throw Error(fmt::format("{} is not parameter=value", place(strategy, text)), std::string(grammar));
  const auto parameter = std::ranges::find(strategy.parameters, name, &Parameter::name);
  if (parameter == strategy.parameters.end()) {
    std::vector<std::string_view> names;
    for (const Parameter& known : strategy.parameters)
      names.push_back(known.name);
    throw Error(fmt::format("{} {} has no parameter {}", schedule::name(strategy.operation), strategy.name,
                            quoted(name)),
                names.empty() ? "it takes none" : fmt::format("it takes {}", fmt::join(names, ", ")));
  }
  return {std::string(name), parse_value(strategy, *parameter, trimmed(text.substr(equals + 1)))};
}

schedule::Parameters parse_parameters(const Strategy& strategy, std::string_view text) {
  schedule::Parameters given;
  for (const std::string_view part : split(text, ',')) {
    auto parameter = parse_parameter(strategy, part);
    if (std::ranges::find(given, parameter.first, &std::pair<std::string, std::int64_t>::first) !=
        given.end())
      throw Error(fmt::format("{} is given twice", place(strategy, parameter.first)), "give it once");
    given.push_back(std::move(parameter));
  }
  return given;
}

} // namespace

std::span<const Call> calls() {
  return call_table;
}

const Call* find_call(std::string_view name) {
  const auto found = std::ranges::find(call_table, name == "bcast" ? "broadcast" : name, &Call::name);
  return found == call_table.end() ? nullptr : &*found;
}

Selection parse_selection(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos)
    throw Error(fmt::format("{} selects nothing", quoted(text)), std::string(grammar));
  Selection selection;
  selection.call = &call_named(trimmed(text.substr(0, equals)), text);
  const std::string_view right = text.substr(equals + 1);
  const auto colon = right.find(':');
  selection.strategy = strategy_named(trimmed(right.substr(0, colon)), *selection.call, text);
  if (colon == std::string_view::npos) {
    if (selection.strategy != nullptr)
      selection.parameters = resolve(*selection.strategy, {});
    return selection;
  }
  if (selection.strategy == nullptr)
    throw Error(fmt::format("{} native takes no parameters", selection.call->name),
                "leave out what follows the colon");
  selection.parameters =
      resolve(*selection.strategy, parse_parameters(*selection.strategy, right.substr(colon + 1)));
  return selection;
}

std::vector<Selection> parse_selections(std::string_view text) {
  std::vector<Selection> selections;
  if (trimmed(text).empty())
    return selections;
  for (const std::string_view part : split(text, ';')) {
    Selection selection = parse_selection(part);
    if (std::ranges::find(selections, selection.call, &Selection::call) != selections.end())
      throw Error(fmt::format("two strategies are selected for {}", selection.call->name), "select one");
    selections.push_back(std::move(selection));
  }
  return selections;
}

std::string value_text(const Parameter& parameter, std::int64_t value) {
  if (parameter.kind == ParameterKind::choice)
    return std::string(parameter.choices.at(static_cast<std::size_t>(value)));
  if (parameter.kind == ParameterKind::bytes && value > 0 && value % 1024 == 0)
    return exact_bytes(value);
  return fmt::to_string(value);
}

std::string to_text(const Selection& selection) {
  std::string text =
      fmt::format("{}={}", selection.call->name, selection.is_native() ? "native" : selection.strategy->name);
  char separator = ':';
  for (std::size_t i = 0; i < selection.parameters.size(); ++i) {
    const Parameter& parameter = selection.strategy->parameters[i];
    const std::int64_t value = selection.parameters[i].second;
    if (value == parameter.default_value)
      continue;
    text += fmt::format("{}{}={}", separator, parameter.name, value_text(parameter, value));
    separator = ',';
  }
  return text;
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

bool supports(const Strategy& strategy, const Call& call) {
  return !call.unequal_blocks || strategy.unequal_blocks || schedule::has_private_sizes(call.operation);
}

} // namespace thalweg::strategies

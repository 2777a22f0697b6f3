// SPDX-License-Identifier: BSD-3-Clause
#include "strategies/implementation.hpp"

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/units.hpp"
#include "strategies/words.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::strategies {

namespace {

constexpr std::string_view native_name = "native";
constexpr std::string_view library_mark = "library:";
constexpr std::string_view thread_mark = "+thread";

// Words of libraries end up in files and variables, so they have no letters that mean something there.
constexpr std::string_view word_letters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-:=";

std::string word_behind(std::string_view mark, std::string_view text, const Call& call) {
  const std::string_view word = trimmed(text.substr(mark.size()));
  if (word.empty() || word.find_first_not_of(word_letters) != std::string_view::npos)
    throw Error(fmt::format("{}={} names no algorithm", call.name, quoted(text)),
                fmt::format("write {}NAME, of letters, digits and _-:=", mark));
  return std::string(word);
}

const Strategy& strategy_named(std::string_view name, const Call& call) {
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
  return *found;
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

Scheduled parse_scheduled(std::string_view text, const Call& call, Advancing advancing) {
  const auto colon = text.find(':');
  const Strategy& strategy = strategy_named(trimmed(text.substr(0, colon)), call);
  if (colon == std::string_view::npos)
    return Scheduled(strategy, {}, advancing);
  return Scheduled(strategy, parse_parameters(strategy, text.substr(colon + 1)), advancing);
}

/// Takes what stands behind the last plus off the text.
Advancing take_advancing(std::string_view& text, const Call& call) {
  const auto plus = text.rfind('+');
  if (plus == std::string_view::npos)
    return Advancing::in_calls;
  if (trimmed(text.substr(plus + 1)) != thread_mark.substr(1))
    throw Error(fmt::format("{}={} has {} behind its strategy", call.name, quoted(text.substr(0, plus)),
                            quoted(text.substr(plus))),
                fmt::format("write {}, or nothing", thread_mark));
  text = trimmed(text.substr(0, plus));
  return Advancing::by_thread;
}

struct Text {
  std::string operator()(const Library& library) const {
    return library.algorithm.empty() ? std::string(native_name)
                                     : fmt::format("{}{}", library_mark, library.algorithm);
  }
  std::string operator()(const Scheduled& scheduled) const { return to_text(scheduled); }
};

} // namespace

Scheduled::Scheduled(const Strategy& strategy, const schedule::Parameters& given, Advancing advancing)
    : strategy_(&strategy), parameters_(resolve(strategy, given)), advancing_(advancing) {
  if (strategy.offloads && advancing == Advancing::by_thread)
    throw Error(fmt::format("{} {} runs on network cards, which no thread advances",
                            schedule::name(strategy.operation), strategy.name),
                fmt::format("leave out {}", thread_mark));
}

bool is_native(const Implementation& implementation) {
  return implementation == Implementation(Library{});
}

Implementation parse_implementation(std::string_view text, const Call& call) {
  text = trimmed(text);
  if (text.starts_with(library_mark))
    return Library{word_behind(library_mark, text, call)};
  const Advancing advancing = take_advancing(text, call);
  const std::string_view name = trimmed(text.substr(0, text.find(':')));
  if (name != native_name)
    return parse_scheduled(text, call, advancing);
  if (advancing == Advancing::by_thread)
    throw Error(fmt::format("{} native is the library's, which no thread of ours advances", call.name),
                fmt::format("leave out {}", thread_mark));
  if (name != text)
    throw Error(fmt::format("{} native takes no parameters", call.name), "leave out what follows the colon");
  return Library{};
}

std::string to_text(const Implementation& implementation) {
  return std::visit(Text{}, implementation);
}

std::string to_text(const Scheduled& scheduled) {
  const Strategy& strategy = scheduled.strategy();
  std::string text(strategy.name);
  char separator = ':';
  for (std::size_t i = 0; i < scheduled.parameters().size(); ++i) {
    const Parameter& parameter = strategy.parameters[i];
    const std::int64_t value = scheduled.parameters()[i].second;
    if (value == parameter.default_value)
      continue;
    text += fmt::format("{}{}={}", separator, parameter.name, value_text(parameter, value));
    separator = ',';
  }
  if (scheduled.advancing() == Advancing::by_thread)
    text += thread_mark;
  return text;
}

std::string value_text(const Parameter& parameter, std::int64_t value) {
  if (parameter.kind == ParameterKind::choice)
    return std::string(parameter.choices.at(static_cast<std::size_t>(value)));
  if (parameter.kind == ParameterKind::bytes && value > 0 && value % 1024 == 0)
    return exact_bytes(value);
  return fmt::to_string(value);
}

} // namespace thalweg::strategies

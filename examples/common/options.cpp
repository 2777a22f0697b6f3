// SPDX-License-Identifier: BSD-3-Clause
#include "common/options.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thalweg::examples {

Options& Options::add(std::string name, std::string default_value, std::string help) {
  options_[std::move(name)] = Option{default_value, default_value, std::move(help)};
  return *this;
}

void Options::read(int argc, char const* const* argv) {
  for (int i = 1; i < argc; i += 2) {
    std::string_view const argument = argv[i];
    auto const option =
        options_.find(std::string{argument.substr(std::min<std::size_t>(2, argument.size()))});
    if (!argument.starts_with("--") || option == options_.end()) {
      throw OptionError{fmt::format("unknown option {}", argument)};
    }
    if (i + 1 == argc) {
      throw OptionError{fmt::format("option {} needs a value", argument)};
    }
    option->second.value = argv[i + 1];
  }
}

std::string Options::usage(std::string_view program) const {
  std::string text = fmt::format("usage: {} [--option value ...]\n", program);
  for (auto const& [name, option] : options_) {
    text += fmt::format("  --{:<14} {} (default {})\n", name, option.help, option.default_value);
  }
  return text;
}

std::int64_t Options::integer(std::string const& name, std::int64_t low, std::int64_t high) const {
  std::string const& value = text(name);
  std::int64_t number = 0;
  auto const [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < low || number > high) {
    throw OptionError{
        fmt::format("option --{} is '{}': give an integer from {} to {}", name, value, low, high)};
  }
  return number;
}

std::size_t Options::choice(std::string const& name, std::vector<std::string> const& choices) const {
  std::string const& value = text(name);
  auto const found = std::find(choices.begin(), choices.end(), value);
  if (found == choices.end()) {
    throw OptionError{
        fmt::format("option --{} is '{}': choose one of {}", name, value, fmt::join(choices, ", "))};
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::string const& Options::text(std::string const& name) const {
  return options_.at(name).value;
}

} // namespace thalweg::examples

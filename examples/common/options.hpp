// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::examples {

/// A command line that cannot be understood. The text names the option, the value and what would be right.
struct OptionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The command line `--name value ...` of an example. Every option is declared with a default, so that
/// `usage()` is complete and a misspelled name is an error.
class Options {
public:
  /// Declares `--name` with its default value and one line that says what it is.
  Options& add(std::string name, std::string default_value, std::string help);

  /// Reads the arguments after the program's name. Throws OptionError for a name that was not declared or a
  /// missing value.
  void read(int argc, char const* const* argv);

  [[nodiscard]] std::string usage(std::string_view program) const;

  /// The value as an integer in [low, high]; throws OptionError otherwise.
  [[nodiscard]] std::int64_t integer(std::string const& name, std::int64_t low, std::int64_t high) const;

  /// The value as one of `choices`; throws OptionError otherwise. Returns the index of the choice.
  [[nodiscard]] std::size_t choice(std::string const& name, std::vector<std::string> const& choices) const;

  [[nodiscard]] std::string const& text(std::string const& name) const;

private:
  struct Option {
    std::string value;
    std::string default_value;
    std::string help;
  };
  std::map<std::string, Option> options_;
};

} // namespace thalweg::examples

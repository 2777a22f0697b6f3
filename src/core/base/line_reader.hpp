// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Reads texts line by line and word by word, and says where something is wrong.

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

class LineReader {
public:
  /// `name` is for errors.
  LineReader(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  bool next_line() {
    if (text_.empty())
      return false;
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    line_ = text_.substr(0, end);
    if (!line_.empty() && line_.back() == '\r')
      line_.remove_suffix(1);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_of_line_;
    return true;
  }
  /// What is left of the line.
  std::string_view line() const { return line_; }
  /// The next word of the line; empty: there is none.
  std::string_view word() {
    skip_blanks();
    const std::string_view found = line_.substr(0, line_.find_first_of(blanks));
    line_.remove_prefix(found.size());
    return found;
  }
  /// All words that are left of the line.
  std::vector<std::string_view> words() {
    std::vector<std::string_view> all;
    for (std::string_view one = word(); !one.empty(); one = word())
      all.push_back(one);
    return all;
  }
  /// Takes a comment off the line: from a '#' on that begins a word, or from any.
  void drop_comment(bool within_words = false) {
    std::size_t mark = line_.find('#');
    while (!within_words && mark != std::string_view::npos && mark > 0 &&
           blanks.find(line_[mark - 1]) == std::string_view::npos)
      mark = line_.find('#', mark + 1);
    line_ = line_.substr(0, mark);
  }
  std::string rest() {
    skip_blanks();
    return std::string(line_);
  }

  /// Reads the text again, from its first line.
  void restart(std::string_view text) {
    text_ = text;
    number_of_line_ = 0;
  }

  std::uint64_t number(std::string_view text, std::uint64_t largest, int base = 10) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > largest)
      fail(fmt::format("'{}' is no whole number up to {}", text, largest), "write a whole number there");
    return value;
  }
  double seconds(std::string_view text) const {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size() ||
        !(value >= 0 && value < 1e12))
      fail(fmt::format("'{}' is no number of seconds", text), "write how long the run took");
    return value;
  }

  const std::string& name() const { return name_; }

  [[noreturn]] void fail(const std::string& what, const std::string& remedy) const {
    throw Error(fmt::format("{}:{}: {}", name_, std::max(number_of_line_, 1), what), remedy);
  }

private:
  static constexpr std::string_view blanks = " \t\r\v\f";

  void skip_blanks() { line_.remove_prefix(std::min(line_.find_first_not_of(blanks), line_.size())); }

  std::string_view text_;
  std::string_view line_;
  const std::string& name_;
  int number_of_line_ = 0;
};

/// A text of one line: what would end it, or could not be printed, becomes a blank.
inline std::string on_one_line(std::string_view text) {
  std::string line(text);
  for (char& letter : line)
    letter = static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  while (!line.empty() && line.back() == ' ')
    line.pop_back();
  return line;
}

} // namespace thalweg

// SPDX-License-Identifier: BSD-3-Clause
#include "base/host_names.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <fmt/format.h>

namespace thalweg {

namespace {

constexpr std::size_t digits_max = 18;

class NameList {
public:
  explicit NameList(std::string_view text) : text_(text) {}

  std::vector<std::string> names() {
    std::vector<std::string> all;
    std::string_view rest = text_;
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, end_of_item(rest));
      rest.remove_prefix(std::min(item.size() + 1, rest.size()));
      for (std::string& name : names_of(item, host_names_max - all.size()))
        all.push_back(std::move(name));
    }
    return all;
  }

private:
  [[noreturn]] void refuse(const std::string& why) const {
    constexpr std::size_t shown_max = 60;
    throw Error(fmt::format("the list of names '{}{}' {}", text_.substr(0, shown_max),
                            text_.size() > shown_max ? "…" : "", why),
                "write n[001-016,020],login");
  }

  /// The comma that is in no brackets.
  std::size_t end_of_item(std::string_view rest) const {
    bool is_inside = false;
    for (std::size_t index = 0; index < rest.size(); ++index) {
      const char letter = rest[index];
      if (letter == ',' && !is_inside)
        return index;
      if (letter == (is_inside ? '[' : ']'))
        refuse("has brackets that do not belong together");
      if (letter == '[' || letter == ']')
        is_inside = letter == '[';
    }
    if (is_inside)
      refuse("has a bracket that is not closed");
    return rest.size();
  }

  std::vector<std::string> names_of(std::string_view item, std::size_t limit) const {
    const auto check = [&](std::size_t count) {
      if (count > limit)
        refuse(fmt::format("has more than {} names", host_names_max));
    };
    std::vector<std::string> names;
    if (item.empty())
      return names;
    check(1);
    names.emplace_back();
    while (!item.empty()) {
      const std::size_t open = std::min(item.find('['), item.size());
      for (std::string& name : names)
        name += item.substr(0, open);
      item.remove_prefix(open);
      if (item.empty())
        break;
      const std::size_t close = item.find(']');
      const std::vector<std::string> ends = numbers(item.substr(1, close - 1));
      item.remove_prefix(close + 1);
      check(names.size() * ends.size());
      std::vector<std::string> longer;
      longer.reserve(names.size() * ends.size());
      for (const std::string& name : names)
        for (const std::string& end : ends)
          longer.push_back(name + end);
      names = std::move(longer);
    }
    return names;
  }

  std::vector<std::string> numbers(std::string_view ranges) const {
    std::vector<std::string> found;
    do {
      const std::string_view range = ranges.substr(0, std::min(ranges.find(','), ranges.size()));
      ranges.remove_prefix(std::min(range.size() + 1, ranges.size()));
      const std::size_t dash = std::min(range.find('-'), range.size());
      const std::string_view first = range.substr(0, dash);
      const std::string_view last = dash < range.size() ? range.substr(dash + 1) : first;
      if (!is_number(first) || !is_number(last))
        refuse(range.find('x') != std::string_view::npos
                   ? fmt::format("has '{}' in brackets, a box as on BlueGene, which is not read", range)
                   : fmt::format("has '{}' in brackets", range));
      const std::uint64_t begin = value(first);
      const std::uint64_t end = value(last);
      if (end < begin)
        refuse(fmt::format("has the range '{}'", range));
      if (end - begin >= host_names_max - found.size())
        refuse(fmt::format("has more than {} names", host_names_max));
      for (std::uint64_t number = begin; number <= end; ++number)
        found.push_back(fmt::format("{:0{}}", number, first.size()));
    } while (!ranges.empty());
    return found;
  }

  static bool is_number(std::string_view text) {
    return !text.empty() && text.size() <= digits_max &&
           std::ranges::all_of(text, [](char letter) { return letter >= '0' && letter <= '9'; });
  }

  static std::uint64_t value(std::string_view text) {
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }

  std::string_view text_;
};

} // namespace

std::vector<std::string> expand_names(std::string_view list) {
  return NameList(list).names();
}

bool is_address(std::string_view host) {
  return host.find(':') != std::string_view::npos ||
         (host.find('.') != std::string_view::npos &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

std::string_view short_name(std::string_view host) {
  return is_address(host) ? host : host.substr(0, host.find('.'));
}

bool is_same_host(std::string_view a, std::string_view b) {
  return a == b || a == short_name(b) || b == short_name(a);
}

void HostIndex::add(std::string_view host, std::int64_t number) {
  const bool is_fresh = numbers_.try_emplace(std::string(host), number).second;
  if (const std::string_view name = short_name(host); is_fresh && name != host)
    with_domain_[std::string(name)].emplace_back(host);
}

std::int64_t HostIndex::find(std::string_view host) const {
  if (const auto own = numbers_.find(std::string(host)); own != numbers_.end())
    return own->second;
  const std::string_view name = short_name(host);
  if (name != host) {
    const auto without = numbers_.find(std::string(name));
    return without == numbers_.end() ? -1 : without->second;
  }
  const auto others = with_domain_.find(std::string(host));
  return others == with_domain_.end() || others->second.size() > 1 ? -1 : numbers_.at(others->second.front());
}

std::string_view HostIndex::same_as(std::string_view host) const {
  if (const auto own = numbers_.find(std::string(host)); own != numbers_.end())
    return own->first;
  const std::string_view name = short_name(host);
  if (name != host) {
    const auto without = numbers_.find(std::string(name));
    return without == numbers_.end() ? std::string_view() : without->first;
  }
  const auto others = with_domain_.find(std::string(host));
  return others == with_domain_.end() ? std::string_view() : others->second.front();
}

std::vector<std::pair<std::string, std::int64_t>> HostIndex::hosts() const {
  std::vector<std::pair<std::string, std::int64_t>> hosts(numbers_.begin(), numbers_.end());
  std::ranges::sort(hosts, {}, [](const auto& host) { return std::pair(host.second, host.first); });
  return hosts;
}

} // namespace thalweg

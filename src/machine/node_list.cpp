#include "machine/node_list.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace thalweg::machine {

namespace {

std::string_view without_domain(std::string_view host) {
  return host.substr(0, host.find('.'));
}

std::vector<std::string_view> words_of_host_line(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
    if (line.empty())
      return words;
    words.push_back(line.substr(0, line.find_first_of(blanks)));
    line.remove_prefix(words.back().size());
  }
}

std::optional<std::int64_t> whole_number(std::string_view word) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc{} || end != word.data() + word.size())
    return std::nullopt;
  return number;
}

/// The node with these numbers, or -1 where the interconnect has none such.
topology::Place place_at(const std::vector<std::int64_t>& numbers,
                         const topology::Interconnect& interconnect) {
  if (numbers.size() == 1)
    return numbers.front() >= 0 && numbers.front() < interconnect.nodes() ? numbers.front() : -1;
  const topology::Grid* grid = interconnect.switch_grid();
  if (grid == nullptr)
    return -1;
  const std::size_t dimensions = grid->dimensions();
  const std::int64_t per_switch = interconnect.nodes() / grid->places();
  if (numbers.size() != dimensions + (per_switch > 1 ? 1 : 0))
    return -1;
  topology::Place place = 0;
  topology::Place stride = per_switch;
  for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
    if (numbers[dimension] < 0 || numbers[dimension] >= grid->extent(dimension))
      return -1;
    place += numbers[dimension] * stride;
    stride *= grid->extent(dimension);
  }
  if (per_switch == 1)
    return place;
  return numbers.back() >= 0 && numbers.back() < per_switch ? place + numbers.back() : -1;
}

} // namespace

topology::Place NodeList::place_of(std::string_view host) const {
  const auto found = places_.find(std::string(without_domain(host)));
  return found == places_.end() ? -1 : found->second;
}

void NodeList::add(std::string_view host, topology::Place place) {
  const auto [entry, fresh] = places_.try_emplace(std::string(without_domain(host)), place);
  if (!fresh)
    throw Error(fmt::format("host {} comes twice", entry->first), "name each host once");
}

std::vector<std::pair<std::string, topology::Place>> NodeList::hosts() const {
  std::vector<std::pair<std::string, topology::Place>> hosts(places_.begin(), places_.end());
  std::ranges::sort(hosts, {}, [](const auto& host) { return std::pair(host.second, host.first); });
  return hosts;
}

std::string to_text(const NodeList& list) {
  std::string text;
  for (const auto& [host, place] : list.hosts())
    text += fmt::format("{} {}\n", host, place);
  return text;
}

NodeList parse_node_list(std::string_view text, const topology::Interconnect& interconnect,
                         const std::string& name) {
  NodeList list;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = words_of_host_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty())
      continue;
    std::vector<std::int64_t> numbers;
    for (std::size_t index = 1; index < words.size(); ++index) {
      const std::optional<std::int64_t> number = whole_number(words[index]);
      if (!number)
        throw Error(fmt::format("{}, line {}: '{}' is no whole number", name, line, words[index]),
                    "write a host's name, then its coordinates or its node's number");
      numbers.push_back(*number);
    }
    const topology::Place place =
        numbers.empty() ? interconnect.node_named(words[0]) : place_at(numbers, interconnect);
    if (place < 0)
      throw Error(
          fmt::format("{}, line {}: host {} has no place on {}", name, line, words[0], interconnect.name()),
          "write its coordinates, counted from 0, or its node's number");
    if (list.place_of(words[0]) >= 0)
      throw Error(fmt::format("{}, line {}: host {} comes twice", name, line, words[0]),
                  "name each host once");
    list.add(words[0], place);
  }
  return list;
}

} // namespace thalweg::machine

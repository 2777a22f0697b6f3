// SPDX-License-Identifier: BSD-3-Clause
#include "topology/graph_file.hpp"

#include "base/files.hpp"
#include "base/host_names.hpp"
#include "base/line_reader.hpp"
#include "topology/graph_interconnect.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <span>

namespace thalweg::topology {

namespace {

using Words = std::vector<std::string_view>;

constexpr double max_graph_capacity = 1e12;

class GraphReader {
public:
  GraphReader(std::string_view text, const std::string& file) : reader_(text, file), text_(text) {
    graph_.name = "graph:" + file;
  }

  Graph read() {
    each_line([&](const Words& words) {
      if (words[0] == "node")
        add_vertices(words);
    });
    graph_.nodes = std::ssize(graph_.labels);
    each_line([&](const Words& words) {
      if (words[0] == "switch")
        add_vertices(words);
    });
    each_line([&](const Words& words) {
      if (words[0] == "link" || words[0] == "arc")
        add_link(words);
      else if (words[0] == "routing")
        read_routing(words);
      else if (words[0] != "node" && words[0] != "switch" && words[0] != "route")
        refuse(fmt::format("'{}' is not known", words[0]), remedy_for(words[0]));
    });
    each_line([&](const Words& words) {
      if (words[0] == "route")
        add_entries(words);
    });
    return std::move(graph_);
  }

private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    reader_.fail(why, remedy);
  }

  /// Calls `take` for the words of each line; a '#' inside of a word is the number of a link.
  template <typename Take>
  void each_line(Take take) {
    reader_.restart(text_);
    while (reader_.next_line()) {
      reader_.drop_comment();
      if (const Words words = reader_.words(); !words.empty())
        take(words);
    }
  }

  void add_vertices(const Words& words) {
    for (const std::string& name : names_in(std::span(words).subspan(1))) {
      if (name.find('#') != std::string::npos)
        refuse(fmt::format("'{}' is no name", name), "'#' is for the numbers of links");
      if (!vertices_.emplace(name, std::ssize(graph_.labels)).second)
        refuse(fmt::format("{} comes twice", name), "name each node and switch once");
      graph_.labels.emplace_back(name);
    }
  }

  /// Words may be lists, as n[001-004].
  std::vector<std::string> names_in(std::span<const std::string_view> words) const {
    std::vector<std::string> names;
    try {
      for (const std::string_view word : words)
        std::ranges::move(expand_names(word), std::back_inserter(names));
    } catch (const Error& error) {
      refuse(error.problem(), error.remedy());
    }
    return names;
  }

  Vertex vertex(std::string_view name) const {
    const auto found = vertices_.find(name);
    if (found == vertices_.end())
      refuse(fmt::format("'{}' is neither node nor switch", name),
             "name it in a line of the form: switch NAME…");
    return found->second;
  }

  double rate(std::string_view text) const {
    double rate = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
    if (error != std::errc{} || end != text.data() + text.size() || !(rate > 0 && rate < max_graph_capacity))
      refuse(fmt::format("'{}' is no capacity", text), "write a number above 0, or two: 4/2");
    return rate;
  }

  void add_arc(Vertex from, Vertex to, double capacity) {
    between_[{from, to}].push_back(std::ssize(graph_.links));
    graph_.links.push_back({from, to, capacity});
  }

  void add_link(const Words& words) {
    const bool is_link = words[0] == "link";
    if (words.size() != 3 && words.size() != 4)
      refuse("has not two ends", "write: link A B, or link A B CAPACITY");
    const std::string_view given = words.size() == 4 ? words[3] : "1";
    const std::size_t slash = given.find('/');
    if (!is_link && slash != std::string_view::npos)
      refuse("an arc has two capacities", "write a link, or one capacity");
    const double there = rate(given.substr(0, slash));
    const double back = slash == std::string_view::npos ? there : rate(given.substr(slash + 1));
    for (const auto& [from, to] : ends_of(words)) {
      const Vertex a = vertex(from);
      const Vertex b = vertex(to);
      if (a == b)
        refuse(fmt::format("{} is linked to itself", from), "leave it out");
      add_arc(a, b, there);
      if (is_link)
        add_arc(b, a, back);
    }
  }

  /// The ends of each link of a line: of lists all to one, or one by one where both are as long.
  std::vector<std::pair<std::string, std::string>> ends_of(const Words& words) const {
    const std::vector<std::string> from = names_in(std::span(words).subspan(1, 1));
    const std::vector<std::string> to = names_in(std::span(words).subspan(2, 1));
    if (from.empty() || to.empty() || (from.size() != to.size() && from.size() > 1 && to.size() > 1))
      refuse(fmt::format("{} ends here and {} there", from.size(), to.size()),
             "write lists of as many names, or one name: link n[0-3] s0");
    std::vector<std::pair<std::string, std::string>> ends(std::max(from.size(), to.size()));
    for (std::size_t index = 0; index < ends.size(); ++index)
      ends[index] = {from[from.size() > 1 ? index : 0], to[to.size() > 1 ? index : 0]};
    return ends;
  }

  /// Of words that other descriptions of networks begin with.
  std::string remedy_for(std::string_view word) const {
    for (const std::string_view other : {"SwitchName", "BlockName", "vendid=", "Switch", "<"})
      if (word.starts_with(other))
        return fmt::format("make a graph of it: thalweg machine {} -o GRAPH", reader_.name());
    return "write node, switch, link, arc, route or routing";
  }

  void read_routing(const Words& words) {
    if (words.size() != 2 || words[1] != "spread")
      refuse("is no routing", "write: routing spread");
    graph_.spread = true;
  }

  void add_entries(const Words& words) {
    if (words.size() < 4 || graph_.spread)
      refuse(graph_.spread ? "a table where messages are spread" : "has no destinations",
             "write: route AT NEXT NODE…, and no 'routing spread'");
    const Vertex at = vertex(words[1]);
    const std::size_t mark = words[2].find('#');
    std::size_t number = 1;
    if (mark != std::string_view::npos) {
      const std::string_view digits = words[2].substr(mark + 1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
      if (error != std::errc{} || end != digits.data() + digits.size())
        number = 0;
    }
    const auto links = between_.find({at, vertex(words[2].substr(0, mark))});
    if (links == between_.end() || number < 1 || number > links->second.size())
      refuse(fmt::format("{} has no such link to {}", words[1], words[2]),
             "name the next vertex, links count from #1");
    for (const std::string& name : names_in(std::span(words).subspan(3))) {
      const Place destination = vertex(name);
      if (destination >= graph_.nodes)
        refuse(fmt::format("{} is a switch", name), "tables have nodes as destinations");
      graph_.table.push_back({at, links->second[number - 1], destination});
    }
  }

  LineReader reader_;
  std::string_view text_;
  Graph graph_;
  std::map<std::string, Vertex, std::less<>> vertices_;
  std::map<std::pair<Vertex, Vertex>, std::vector<Link>> between_;
};

} // namespace

std::shared_ptr<const Interconnect> parse_graph(std::string_view text, const std::string& file) {
  return std::make_shared<GraphInterconnect>(GraphReader(text, file).read());
}

std::shared_ptr<const Interconnect> load_graph(const std::string& file) {
  return parse_graph(read_text(file, "name a file: graph:FILE; thalweg machine writes one"), file);
}

} // namespace thalweg::topology

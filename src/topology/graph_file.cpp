#include "topology/graph_file.hpp"

#include "core/error.hpp"
#include "topology/graph_interconnect.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <span>

namespace thalweg::topology {

namespace {

using Words = std::vector<std::string_view>;

constexpr double max_graph_capacity = 1e12;

class GraphReader {
public:
  explicit GraphReader(const std::string& file) : file_(file) { graph_.name = "graph:" + file; }

  Graph read(std::string_view text) {
    each_line(text, [&](const Words& words) {
      if (words[0] == "node")
        add_vertices(words);
    });
    graph_.nodes = std::ssize(graph_.labels);
    each_line(text, [&](const Words& words) {
      if (words[0] == "switch")
        add_vertices(words);
    });
    each_line(text, [&](const Words& words) {
      if (words[0] == "link" || words[0] == "arc")
        add_link(words);
      else if (words[0] == "routing")
        read_routing(words);
      else if (words[0] != "node" && words[0] != "switch" && words[0] != "route")
        refuse(fmt::format("'{}' is not known", words[0]), "write node, switch, link, arc, route or routing");
    });
    each_line(text, [&](const Words& words) {
      if (words[0] == "route")
        add_entries(words);
    });
    return std::move(graph_);
  }

private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    throw Error(fmt::format("{}, line {}: {}", file_, line_, why), remedy);
  }

  template <typename Take>
  void each_line(std::string_view text, Take take) {
    for (line_ = 1; !text.empty(); ++line_) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      line = line.substr(0, line.find_first_of("#") == 0 ? 0 : comment(line));
      text.remove_prefix(std::min(end + 1, text.size()));
      Words words;
      constexpr std::string_view blanks = " \t\r";
      for (;;) {
        line.remove_prefix(std::min(line.find_first_not_of(blanks), line.size()));
        if (line.empty())
          break;
        words.push_back(line.substr(0, line.find_first_of(blanks)));
        line.remove_prefix(words.back().size());
      }
      if (!words.empty())
        take(words);
    }
  }

  /// Where a comment begins: a '#' inside of a word is the number of a link.
  static std::size_t comment(std::string_view line) {
    for (const std::string_view mark : {" #", "\t#"})
      line = line.substr(0, line.find(mark));
    return line.size();
  }

  void add_vertices(const Words& words) {
    for (const std::string_view name : std::span(words).subspan(1)) {
      if (name.find('#') != std::string_view::npos)
        refuse(fmt::format("'{}' is no name", name), "'#' is for the numbers of links");
      if (!vertices_.emplace(name, std::ssize(graph_.labels)).second)
        refuse(fmt::format("{} comes twice", name), "name each node and switch once");
      graph_.labels.emplace_back(name);
    }
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
    const Vertex a = vertex(words[1]);
    const Vertex b = vertex(words[2]);
    if (a == b)
      refuse(fmt::format("{} is linked to itself", words[1]), "leave it out");
    const std::string_view given = words.size() == 4 ? words[3] : "1";
    const std::size_t slash = given.find('/');
    if (!is_link && slash != std::string_view::npos)
      refuse("an arc has two capacities", "write a link, or one capacity");
    const double there = rate(given.substr(0, slash));
    add_arc(a, b, there);
    if (is_link)
      add_arc(b, a, slash == std::string_view::npos ? there : rate(given.substr(slash + 1)));
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
    for (const std::string_view name : std::span(words).subspan(3)) {
      const Place destination = vertex(name);
      if (destination >= graph_.nodes)
        refuse(fmt::format("{} is a switch", name), "tables have nodes as destinations");
      graph_.table.push_back({at, links->second[number - 1], destination});
    }
  }

  const std::string& file_;
  Graph graph_;
  int line_ = 0;
  std::map<std::string, Vertex, std::less<>> vertices_;
  std::map<std::pair<Vertex, Vertex>, std::vector<Link>> between_;
};

} // namespace

std::shared_ptr<const Interconnect> parse_graph(std::string_view text, const std::string& file) {
  return std::make_shared<GraphInterconnect>(GraphReader(file).read(text));
}

std::shared_ptr<const Interconnect> load_graph(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream)
    throw Error(fmt::format("the graph {} cannot be read", file),
                "name a file: graph:FILE; thalweg machine writes one", thalweg_error_system);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  return parse_graph(text, file);
}

} // namespace thalweg::topology

// SPDX-License-Identifier: BSD-3-Clause
#include "topology/shared_resources.hpp"

#include "base/files.hpp"
#include "base/line_reader.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace thalweg::topology {

namespace {

constexpr Place max_cores = 4096;
constexpr double max_resource_capacity = 1e6;
constexpr const char* resource_remedy = "write: resource NAME CAPACITY 0-3>4-7, with cores from 0";

struct Resource {
  std::string name;
  double capacity = 1;
};

class SharedResources final : public Interconnect {
public:
  SharedResources(std::string name, Place cores, std::vector<Resource> resources,
                  std::vector<std::vector<std::int32_t>> used)
      : name_(std::move(name)), cores_(cores), resources_(std::move(resources)), used_(std::move(used)) {}

  std::string name() const override { return name_; }
  Place nodes() const override { return cores_; }
  std::int64_t hops(Place a, Place b) const override { return a == b ? 0 : 1; }
  std::int64_t diameter() const override { return cores_ > 1 ? 1 : 0; }
  double mean_hops() const override { return static_cast<double>(diameter()); }
  Link links() const override { return 2 * cores_ + std::ssize(resources_); }
  /// The cores, and the inside of the node that all are linked to.
  Vertex vertices() const override { return cores_ + 1; }
  LinkEnds ends(Link link) const override {
    if (link >= 2 * cores_)
      return {cores_, cores_};
    return link % 2 == 0 ? LinkEnds{link / 2, cores_} : LinkEnds{cores_, link / 2};
  }
  void append_route(Place from, Place to, std::vector<LinkShare>& route) const override {
    if (from == to)
      return;
    route.push_back({2 * from, 1});
    for (const std::int32_t resource : used_[static_cast<std::size_t>(from * cores_ + to)])
      route.push_back({2 * cores_ + resource, 1});
    route.push_back({2 * to + 1, 1});
  }
  double capacity(Link link) const override { return link < 2 * cores_ ? 1 : resource(link).capacity; }
  std::string link_name(Link link) const override {
    if (link >= 2 * cores_)
      return resource(link).name;
    return fmt::format("core {} {}", link / 2, link % 2 == 0 ? "out" : "in");
  }

private:
  const Resource& resource(Link link) const {
    return resources_[static_cast<std::size_t>(link - 2 * cores_)];
  }

  std::string name_;
  Place cores_;
  std::vector<Resource> resources_;
  std::vector<std::vector<std::int32_t>> used_; // by from * cores + to
};

class ResourceReader {
public:
  ResourceReader(std::string_view text, const std::string& file) : reader_(text, file), file_(file) {}

  std::shared_ptr<const Interconnect> read() {
    while (reader_.next_line()) {
      reader_.drop_comment(true);
      const std::string_view what = word();
      if (what == "cores")
        read_cores();
      else if (what == "resource")
        read_resource();
      else if (!what.empty())
        refuse(fmt::format("'{}' is not known", what), "write cores or resource");
    }
    if (cores_ == 0)
      throw Error(fmt::format("{} does not say how many cores there are", file_), "begin with: cores 8");
    return std::make_shared<SharedResources>("resources:" + file_, cores_, std::move(resources_),
                                             std::move(used_));
  }

private:
  [[noreturn]] void refuse(const std::string& why, const std::string& remedy) const {
    reader_.fail(why, remedy);
  }

  std::string_view word() { return reader_.word(); }

  template <typename Number>
  Number number(std::string_view text, Number min, Number max, const char* remedy) const {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= min && value <= max))
      refuse(fmt::format("'{}' is no number from {} to {}", text, min, max), remedy);
    return value;
  }

  void read_cores() {
    if (cores_ != 0)
      refuse("the number of cores comes twice", "leave one out");
    cores_ = number<Place>(word(), 1, max_cores, "begin with: cores 8");
    if (!word().empty())
      refuse("more than a number of cores", "begin with: cores 8");
    used_.resize(static_cast<std::size_t>(cores_ * cores_));
  }

  void read_resource() {
    if (cores_ == 0)
      refuse("a resource before the number of cores", "begin with: cores 8");
    const std::string name(word());
    const double capacity = number(word(), 1e-6, max_resource_capacity, resource_remedy);
    const auto own = static_cast<std::int32_t>(resources_.size());
    std::string_view messages = word();
    if (messages.empty())
      refuse("a resource that nothing uses", resource_remedy);
    for (; !messages.empty(); messages = word()) {
      const std::size_t arrow = messages.find('>');
      if (arrow == std::string_view::npos)
        refuse(fmt::format("'{}' does not say who sends to whom", messages), resource_remedy);
      const std::vector<Place> receivers = cores_in(messages.substr(arrow + 1));
      for (const Place from : cores_in(messages.substr(0, arrow)))
        for (const Place to : receivers)
          add_user(from, to, own);
    }
    resources_.push_back({name, capacity});
  }

  void add_user(Place from, Place to, std::int32_t resource) {
    std::vector<std::int32_t>& used = used_[static_cast<std::size_t>(from * cores_ + to)];
    if (from != to && (used.empty() || used.back() != resource))
      used.push_back(resource);
  }

  std::vector<Place> cores_in(std::string_view text) const {
    std::vector<Place> cores;
    const auto append = [&](Place first, Place last) {
      for (Place core = first; core <= last; ++core)
        cores.push_back(core);
    };
    if (text == "all") {
      append(0, cores_ - 1);
      return cores;
    }
    do {
      const std::size_t comma = std::min(text.find(','), text.size());
      const std::string_view run = text.substr(0, comma);
      text.remove_prefix(std::min(comma + 1, text.size()));
      const std::size_t dash = std::min(run.find('-'), run.size());
      const Place first = number<Place>(run.substr(0, dash), 0, cores_ - 1, resource_remedy);
      append(first, dash < run.size()
                        ? number<Place>(run.substr(dash + 1), first, cores_ - 1, resource_remedy)
                        : first);
    } while (!text.empty());
    return cores;
  }

  LineReader reader_;
  const std::string& file_;
  Place cores_ = 0;
  std::vector<Resource> resources_;
  std::vector<std::vector<std::int32_t>> used_;
};

} // namespace

std::shared_ptr<const Interconnect> parse_resources(std::string_view text, const std::string& file) {
  return ResourceReader(text, file).read();
}

std::shared_ptr<const Interconnect> load_resources(const std::string& file) {
  return parse_resources(
      read_text(file, "name a file: resources:FILE; thalweg machine probe --find-resources writes one"),
      file);
}

} // namespace thalweg::topology

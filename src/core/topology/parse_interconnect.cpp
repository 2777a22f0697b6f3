// SPDX-License-Identifier: BSD-3-Clause
#include "base/arithmetic.hpp"
#include "base/error.hpp"
#include "topology/dragonfly.hpp"
#include "topology/fat_tree.hpp"
#include "topology/graph_file.hpp"
#include "topology/grid.hpp"
#include "topology/grid_interconnect.hpp"
#include "topology/interconnect.hpp"
#include "topology/shared_resources.hpp"

#include <fmt/format.h>

namespace thalweg::topology {

namespace {

constexpr std::int64_t max_nodes = INT32_MAX;
constexpr std::string_view names = "write torus:4x4, mesh:4x4, torus:4x4*16, ring:8, hypercube:8, star:8, "
                                   "fat-tree:4x2, tree:4^3, xgft:4x4:1x2, "
                                   "hierarchy:4x2x8, dragonfly:2x4x2, graph:FILE or resources:FILE";

/// How many nodes a shape has that says nothing of it: "ring", "star" and "fat-tree:4x2".
std::int32_t given(const InterconnectName& name, Place nodes) {
  if (nodes < 1 || nodes > max_nodes)
    name.refuse("says nothing of how many nodes there are",
                "write star:8, ring:8, or xgft:4x2:1x2 for a fat tree");
  return static_cast<std::int32_t>(nodes);
}

std::vector<std::int32_t> numbers_of(const InterconnectName& name, std::string_view text) {
  std::vector<std::int32_t> numbers = parse_extents(text);
  if (numbers.empty())
    name.refuse("has what is no row of numbers above 0", names);
  return numbers;
}

std::int32_t number_of(const InterconnectName& name, Place nodes) {
  if (name.text.find(':') == std::string::npos)
    return given(name, nodes);
  const std::vector<std::int32_t> numbers = numbers_of(name, name.body);
  if (numbers.size() != 1)
    name.refuse("has several numbers", "write how many nodes there are: star:8, ring:8");
  return numbers.front();
}

Grid cube_of(const InterconnectName& name) {
  const std::vector<std::int32_t> numbers = numbers_of(name, name.body);
  if (numbers.size() != 1 || numbers[0] > max_levels)
    name.refuse("is no hypercube", "write how many dimensions there are: hypercube:8");
  return Grid(std::vector<std::int32_t>(static_cast<std::size_t>(numbers[0]), 2), false);
}

FatTreeShape two_levels(const InterconnectName& name, Place nodes) {
  const std::vector<std::int32_t> numbers = numbers_of(name, name.body);
  if (numbers.size() != 2)
    name.refuse("is no two-level fat tree", "write fat-tree:HOSTSxSPINES; xgft: writes others");
  const auto leaves = static_cast<std::int32_t>(ceil_divide(given(name, nodes), numbers[0]));
  return {{numbers[0], leaves}, {1, numbers[1]}};
}

FatTreeShape levels_of(const InterconnectName& name) {
  const std::string_view body = name.body;
  if (name.kind == "hierarchy") {
    std::vector<std::int32_t> numbers = numbers_of(name, body);
    const std::vector<std::int32_t> ones(numbers.size(), 1);
    return {{numbers.rbegin(), numbers.rend()}, ones};
  }
  if (name.kind == "tree") {
    const std::size_t mark = body.find_first_of("^x");
    const std::vector<std::int32_t> arity = parse_extents(body.substr(0, mark));
    const std::vector<std::int32_t> levels =
        mark < body.size() ? parse_extents(body.substr(mark + 1)) : std::vector<std::int32_t>{};
    if (arity.size() != 1 || levels.size() != 1 || levels[0] > max_levels)
      name.refuse("is no k-ary n-tree",
                  "write tree:4^3, or tree:4x3: 4 children a switch, 3 levels of switches");
    std::vector<std::int32_t> parents(static_cast<std::size_t>(levels[0]), arity[0]);
    parents.front() = 1;
    return {std::vector(static_cast<std::size_t>(levels[0]), arity[0]), parents};
  }
  const std::size_t colon = body.find(':');
  if (colon == std::string_view::npos)
    name.refuse("says nothing of parents", "write children and parents from the nodes up: xgft:4x4:1x2");
  FatTreeShape shape{numbers_of(name, body.substr(0, colon)), numbers_of(name, body.substr(colon + 1))};
  if (shape.children.size() != shape.parents.size())
    name.refuse("has not as many numbers of children as of parents",
                "write both for each level: xgft:4x4:1x2");
  return shape;
}

} // namespace

std::vector<std::string_view> interconnect_kinds() {
  return {"ring", "hypercube", "mesh",      "torus",     "star",  "fat-tree",
          "tree", "xgft",      "hierarchy", "dragonfly", "graph", "resources"};
}

std::shared_ptr<const Interconnect> parse_interconnect(std::string_view text, Place nodes) {
  const InterconnectName name = parse_interconnect_name(text);
  const std::string& kind = name.kind;
  if (kind == "ring")
    return std::make_shared<GridInterconnect>(Grid({number_of(name, nodes)}, true), name);
  if (kind == "hypercube")
    return std::make_shared<GridInterconnect>(cube_of(name), name);
  if (kind == "mesh" || kind == "torus")
    return std::make_shared<GridInterconnect>(name);
  if (kind == "star")
    return std::make_shared<FatTree>(FatTreeShape{{number_of(name, nodes)}, {1}}, name);
  if (kind == "fat-tree")
    return std::make_shared<FatTree>(two_levels(name, nodes), name);
  if (kind == "tree" || kind == "xgft" || kind == "hierarchy")
    return std::make_shared<FatTree>(levels_of(name), name);
  if (kind == "dragonfly")
    return std::make_shared<Dragonfly>(numbers_of(name, name.body), name);
  if (kind == "graph")
    return load_graph(name.body);
  if (kind == "resources")
    return load_resources(name.body);
  throw Error(fmt::format("'{}' is no shape of a network", text), std::string(names));
}

} // namespace thalweg::topology

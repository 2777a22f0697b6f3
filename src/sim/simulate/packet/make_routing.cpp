// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/packet/make_routing.hpp"

#include "base/error.hpp"
#include "simulate/packet/along_routes.hpp"
#include "simulate/packet/dragonfly_routes.hpp"
#include "simulate/packet/grid_routes.hpp"
#include "simulate/packet/tree_routes.hpp"
#include "topology/graph_interconnect.hpp"

#include <fmt/format.h>

namespace thalweg::simulate::packet {

namespace {

std::unique_ptr<Routing> tree_routing(std::string_view name, const Fabric& fabric,
                                      const topology::FatTree& tree) {
  if (name.empty() || name == "adaptive_up")
    return std::make_unique<AdaptiveUp>(fabric, tree);
  if (name == "up_by_destination")
    return std::make_unique<UpByDestination>(fabric, tree);
  return nullptr;
}

std::unique_ptr<Routing> grid_routing(std::string_view name, const Fabric& fabric,
                                      const topology::Grid& grid) {
  if (name.empty() || name == "dimension_ordered")
    return std::make_unique<DimensionOrdered>(fabric, grid);
  if (name == "valiant")
    return std::make_unique<ValiantOnGrid>(fabric, grid);
  if (name == "ugal")
    return std::make_unique<UgalOnGrid>(fabric, grid);
  return nullptr;
}

std::unique_ptr<Routing> dragonfly_routing(std::string_view name, const Fabric& fabric,
                                           const topology::Dragonfly& dragonfly) {
  if (name.empty() || name == "minimal")
    return std::make_unique<MinimalOnDragonfly>(fabric, dragonfly);
  if (name == "valiant")
    return std::make_unique<ValiantOnDragonfly>(fabric, dragonfly);
  if (name == "ugal")
    return std::make_unique<UgalOnDragonfly>(fabric, dragonfly);
  return nullptr;
}

} // namespace

std::unique_ptr<Routing> make_routing(std::string_view name, const Fabric& fabric) {
  const topology::Interconnect& shape = fabric.shape();
  std::unique_ptr<Routing> routing;
  const bool is_graph = dynamic_cast<const topology::GraphInterconnect*>(&shape) != nullptr;
  if (name == "along_routes" || (name.empty() && is_graph))
    routing = std::make_unique<AlongRoutes>(fabric);
  else if (const auto* tree = dynamic_cast<const topology::FatTree*>(&shape); tree != nullptr)
    routing = tree_routing(name, fabric, *tree);
  else if (const auto* dragonfly = dynamic_cast<const topology::Dragonfly*>(&shape); dragonfly != nullptr)
    routing = dragonfly_routing(name, fabric, *dragonfly);
  else if (shape.switch_grid() != nullptr)
    routing = grid_routing(name, fabric, *shape.switch_grid());
  if (routing == nullptr)
    throw Error(
        fmt::format("no routing '{}' of packets on {}", name, shape.name()),
        "choose adaptive_up or up_by_destination on trees; dimension_ordered, valiant or ugal on meshes and "
        "tori; minimal, valiant or ugal on dragonflies; along_routes on any network");
  return routing;
}

std::unique_ptr<Routing> own_routing(const Fabric& fabric) {
  const bool is_tree = dynamic_cast<const topology::FatTree*>(&fabric.shape()) != nullptr;
  return make_routing(is_tree && !fabric.shape().spreads() ? "up_by_destination" : "", fabric);
}

} // namespace thalweg::simulate::packet

#pragma once

// Routings by name.

#include "simulate/packet/routing.hpp"

#include <memory>
#include <string_view>

namespace thalweg::simulate::packet {

/// By name: up_by_destination, adaptive_up (trees), dimension_ordered (meshes and tori), minimal
/// (dragonflies), valiant, ugal (tori, meshes and dragonflies). Empty: adaptive_up, dimension_ordered or
/// minimal. Throws Error where the network has no such routing.
std::unique_ptr<Routing> make_routing(std::string_view name, const Fabric& fabric);

} // namespace thalweg::simulate::packet

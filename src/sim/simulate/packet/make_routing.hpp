// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Routings by name.

#include "simulate/packet/routing.hpp"

#include <memory>
#include <string_view>

namespace thalweg::simulate::packet {

/// By name: up_by_destination, adaptive_up (trees), dimension_ordered (meshes and tori), minimal
/// (dragonflies), valiant, ugal (tori, meshes and dragonflies), along_routes (any). Empty: adaptive_up,
/// dimension_ordered, minimal, or along_routes on graphs. Throws Error where the network has no such routing.
std::unique_ptr<Routing> make_routing(std::string_view name, const Fabric& fabric);

/// As the interconnect's own routes are: up_by_destination on trees, adaptive_up where they spread messages;
/// the others as without a name.
std::unique_ptr<Routing> own_routing(const Fabric& fabric);

} // namespace thalweg::simulate::packet

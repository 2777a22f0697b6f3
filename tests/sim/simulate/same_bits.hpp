// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// One number for all that simulations compute: programs on each level, with noise and with shared cores,
// networks under load, and collectives in switches. It is the same wherever and however this has been
// compiled.

#include "base/random.hpp"
#include "programs.hpp"
#include "simulate/packet/messages.hpp"
#include "simulate/packet/routing.hpp"
#include "simulate/packet/traffic.hpp"
#include "simulate/simulation.hpp"

#include <numeric>

namespace thalweg::simulate {

/// Of nine ranks, on level loggp (0), flow or packet (2).
inline RankNetwork network_on_level(const char* name, int level) {
  RankNetwork made{.interconnect = topology::parse_interconnect(name, 9),
                   .nodes = std::vector<topology::Place>(9),
                   .hop_latency = 70,
                   .shares_links = level == 1};
  std::iota(made.nodes.begin(), made.nodes.end(), 0);
  if (level == 2)
    made.packets = PacketLevel{};
  return made;
}

inline std::uint64_t bits_of_programs() {
  const SharedCores three_machines{.machines = {0, 0, 0, 1, 1, 1, 2, 2, 2}, .cores = 2, .switching = 900};
  const CostOf cost = loggops({.G = 0.37, .O = 0.1, .S = 6000});
  std::uint64_t bits = 0;
  std::uint64_t seed = 0;
  for (const char* name : {"star", "torus:3x3", "mesh:5x2", "tree:3^2", "hypercube:4", "dragonfly:2x4x2"})
    for (int level = 0; level < 3; ++level) {
      const RankNetwork between = network_on_level(name, level);
      std::mt19937_64 random(++seed);
      const Program program = RandomProgram(random, 9, 300, 9000).built(cost);
      for (const Noise& noise : {Noise{}, Noise{20'000, 3'000, seed}, Noise{20'000, 3'000, seed, true}})
        for (const SharedCores& shared : {SharedCores{}, three_machines}) {
          const SimulationOptions options{.network = &between, .noise = noise, .cores = shared};
          bits = mixed_hash(bits, fingerprint(simulate(program, options).result));
        }
    }
  return bits;
}

inline std::uint64_t bits_of_networks() {
  using namespace packet;
  std::uint64_t bits = 0;
  for (const auto& [name, routing] : {std::pair("tree:4^3", "adaptive_up"),
                                      {"tree:8^2", "up_by_destination"},
                                      {"torus:4x4", "ugal"},
                                      {"hypercube:5", "valiant"},
                                      {"dragonfly:2x4x2", "ugal"}})
    for (const CreditRule rule : {CreditRule::crosspoint, CreditRule::link}) {
      const Fabric fabric(topology::parse_interconnect(name));
      const auto routes = make_routing(routing, fabric);
      RouterOptions options;
      options.credits = rule;
      for (const double load : {0.3, 0.9, 1.0}) {
        const Traffic traffic{.packets = 2000};
        bits = mixed_hash(bits, measure_load(fabric, *routes, options, traffic, load).fingerprint);
      }
      if (std::string_view(name).substr(0, 4) != "tree")
        continue;
      const Traffic multicasts{.fanout = 4, .packets = 2000};
      bits = mixed_hash(bits, measure_load(fabric, *routes, options, multicasts, 0.2).fingerprint);
      std::vector<std::uint32_t> all(fabric.nodes());
      std::iota(all.begin(), all.end(), 0U);
      options.combine_units = 3;
      bits = mixed_hash(bits, run_reduction(fabric, *routes, options, {}, all, 0, 5000).finish);
      const Interface interface { 1'300'000, 1'300'000, true };
      bits = mixed_hash(bits,
                        run_molecular_dynamics(fabric, *routes, options, interface, {.senders = 4}).finish);
    }
  return bits;
}

inline std::uint64_t bits_of_all() {
  return mixed_hash(bits_of_programs(), bits_of_networks());
}

inline constexpr std::uint64_t known_bits = 2002772449690154323U;

} // namespace thalweg::simulate

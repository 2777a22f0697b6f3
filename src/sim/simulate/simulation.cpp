// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/simulation.hpp"

#include "base/hash.hpp"
#include "simulate/critical_path.hpp"

#include <cmath>

namespace thalweg::simulate {

Simulation simulate(const Program& program, const SimulationOptions& options) {
  Trace trace;
  const bool is_explained = program.operation_count <= options.explained_max;
  Simulation simulation{simulate_loggp(program, {.ties = options.ties,
                                                 .trace = is_explained ? &trace : nullptr,
                                                 .network = options.network,
                                                 .noise = options.noise,
                                                 .cores = options.cores,
                                                 .progress = options.progress})};
  if (is_explained)
    simulation.result.path = critical_path(program, trace, simulation.result, options.network);
  if (is_explained && options.has_timeline)
    simulation.timeline = timeline(program, trace, options.network);
  return simulation;
}

std::uint64_t fingerprint(const Result& result) {
  std::uint64_t hash = fnv_begin; // by words
  const auto add = [&](auto value) { hash = fnv_hash(hash, static_cast<std::uint64_t>(value)); };
  for (const std::vector<Ticks>* times : {&result.ends, &result.busy})
    for (const Ticks time : *times)
      add(time);
  add(result.events);
  add(result.messages);
  for (const Segment& segment : result.path) {
    add(segment.rank);
    add(segment.kind);
    add(segment.end);
    if (segment.link >= 0)
      add(segment.link);
  }
  if (result.packets > 0) {
    add(result.packets);
    add(result.packet_hops);
  }
  for (const model::LinkLoad& link : result.links) {
    add(link.link);
    add(std::llround(link.bytes));
    add(std::llround(link.busy));
  }
  return hash;
}

} // namespace thalweg::simulate

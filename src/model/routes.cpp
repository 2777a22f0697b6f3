#include "model/routes.hpp"

#include "core/error.hpp"

namespace thalweg::model {

namespace {

topology::Network network_of(const std::string& shape, std::int32_t nodes) {
  try {
    return {shape.empty() ? "star" : shape, nodes};
  } catch (const Error&) {
    return {"star", nodes};
  }
}

} // namespace

Routes::Routes(const machine::Machine& machine, std::int32_t nodes)
    : network_(network_of(machine.network, nodes)) {}

const std::vector<std::int32_t>& Routes::between(std::int32_t from, std::int32_t to) {
  const auto [entry, fresh] = known_.try_emplace({from, to});
  if (fresh)
    entry->second = network_.route(from, to);
  return entry->second;
}

} // namespace thalweg::model

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
    : network_(network_of(machine.network, nodes)), is_star_(network_.shape() == "star"),
      up_(static_cast<std::size_t>(nodes)), down_(static_cast<std::size_t>(nodes)) {
  for (std::size_t number = 0; is_star_ && number < network_.links().size(); ++number) {
    const auto& [from, to] = network_.links()[number];
    if (from < nodes)
      up_[static_cast<std::size_t>(from)] = static_cast<std::int32_t>(number);
    else
      down_[static_cast<std::size_t>(to)] = static_cast<std::int32_t>(number);
  }
}

std::span<const std::int32_t> Routes::between(std::int32_t from, std::int32_t to) {
  if (is_star_) {
    through_the_switch_ = {up_[static_cast<std::size_t>(from)], down_[static_cast<std::size_t>(to)]};
    return through_the_switch_;
  }
  const auto [entry, fresh] =
      known_.try_emplace(static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint64_t>(to));
  if (fresh)
    entry->second = network_.route(from, to);
  return entry->second;
}

} // namespace thalweg::model

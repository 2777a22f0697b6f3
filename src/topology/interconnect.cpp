#include "topology/interconnect.hpp"

#include "topology/grid_interconnect.hpp"

namespace thalweg::topology {

std::shared_ptr<const Interconnect> parse_interconnect(std::string_view text) {
  return std::make_shared<GridInterconnect>(parse_grid(text));
}

} // namespace thalweg::topology

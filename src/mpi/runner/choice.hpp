#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/collective_call.hpp"
#include "strategies/selection.hpp"

namespace thalweg::mpi {

// What the user chose for one MPI operation.
struct Choice {
  const strategies::Strategy* strategy = nullptr; // null: the library's own
  schedule::Parameters parameters;
  // "mesh2d", "recursive_doubling:segment=64KiB", as the report shows it; lives as long as the process.
  const char* text = "native";
  std::int64_t id = 0; // the same for the same strategy and parameters, whenever they are chosen
};

// The choices made in THALWEG_USE, or through thalweg_choose() while nothing is under way.
class Choices {
public:
  // Replaces all choices. Throws Error for a text that does not read; nothing is changed then.
  void read(std::string_view text);
  const Choice* of(Operation operation) const;
  bool any() const { return any_; }

private:
  std::array<Choice, static_cast<std::size_t>(Operation::neighbor_alltoallw) + 1> choices_;
  bool any_ = false;
};

Choices& choices();

} // namespace thalweg::mpi

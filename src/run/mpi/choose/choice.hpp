// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/call/collective_call.hpp"
#include "strategies/selection.hpp"

namespace thalweg::mpi {

// What runs a call, and why.
struct Choice {
  strategies::Implementation implementation = strategies::Library{};
  const char* reason = "no strategy chosen"; // for the report, where the library runs the call
  // The library's own blocking call was measured and found best, which is not the one that yielding ranks
  // make by its nonblocking counterpart.
  bool blocks = false;
  // "mesh2d", "recursive_doubling:segment=64KiB", as the report shows it; lives as long as the process.
  const char* text = "native";
  std::int64_t id = 0; // the same for the same strategy and parameters, whenever they are chosen
};

// A choice for a call, and how long it holds.
struct Decision {
  const Choice* choice = nullptr;
  // How many calls of this kind are left for which it holds; null: for good. Whoever makes such a call
  // without asking again counts it here.
  std::uint32_t* calls_left = nullptr;
};

// The name under which selections know an MPI operation.
std::string_view call_name(Operation operation);

// What was selected as a choice; equal ones get the same number.
Choice make_choice(const strategies::Implementation& implementation, const char* reason);

// The choices made in THALWEG_USE, or through thalweg_set_selection() while nothing is under way.
class Choices {
public:
  // Replaces all choices. Throws Error for a text that does not read; nothing is changed then.
  void read(std::string_view text);
  // Null where nothing was chosen.
  const Choice* of(Operation operation) const;
  // Whether some operation is for a strategy of ours, and not all for the library.
  bool any_strategy() const;

private:
  std::array<std::optional<Choice>, operation_count> choices_;
};

Choices& choices();

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/wait_mode.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "mpi/abi/native.hpp"

namespace thalweg::mpi {

namespace {

#if defined(THALWEG_FAMILY_OPENMPI)

// Set by the user or, when the launcher was told of more ranks than slots, by Open MPI itself. The tools
// interface knows it too, but its start opens all of Open MPI's components anew, which takes up to 0.2 s.
bool yields_when_idle() {
  const auto* value = static_cast<const bool*>(library_symbol("opal_progress_yield_when_idle"));
  return value != nullptr && *value;
}

#else

bool is_set_to(const char* name, std::string_view value) {
  const char* text = std::getenv(name);
  return text != nullptr && text == value;
}

#endif

} // namespace

Spinning library_spinning() {
#if defined(THALWEG_FAMILY_OPENMPI)
  if (yields_when_idle()) {
    return {false, "Open MPI yields when idle (mpi_yield_when_idle)"};
  }
  return {true, "Open MPI spins (mpi_yield_when_idle is off)"};
#else
  const bool knows_throttle = runtime.library_version.starts_with("MPICH ") &&
                              !runtime.library_version.starts_with("MPICH 3") &&
                              !runtime.library_version.starts_with("MPICH 4");
  if (knows_throttle && is_set_to("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")) {
    return {false, "MPICH was told to sleep (MPIR_CVAR_CH4_PROGRESS_THROTTLE)"};
  }
  if (is_set_to("I_MPI_WAIT_MODE", "1") && runtime.library_version.find("Intel") != std::string::npos) {
    return {false, "Intel MPI was told to wait (I_MPI_WAIT_MODE)"};
  }
  return {true, "the library spins"};
#endif
}

void decide_wait_mode(Runtime& state, const Spinning& spinning) {
  const job::Placement& placement = state.placement;
  switch (state.settings.wait_mode) {
  case WaitMode::yield:
    state.yields = true;
    state.wait_reason = "yields: THALWEG_WAIT=yield";
    return;
  case WaitMode::spin:
    state.yields = false;
    state.wait_reason = "waits as the library does: THALWEG_WAIT=spin";
    return;
  case WaitMode::automatic:
    break;
  }
  if (!placement.oversubscribed) {
    state.yields = false;
    state.wait_reason = "waits as the library does: no machine has more ranks than cores";
    return;
  }
  state.yields = spinning.spins;
  state.wait_reason =
      fmt::format("{}: {} ranks on {:g} cores, and {}", state.yields ? "yields" : "waits as the library does",
                  placement.oversubscribed_ranks, placement.oversubscribed_cores, spinning.reason);
}

} // namespace thalweg::mpi

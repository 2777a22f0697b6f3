// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/wait/wait_mode.hpp"

#include "mpi/abi/native.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <string_view>

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

LibraryWait library_wait() {
#if defined(THALWEG_FAMILY_OPENMPI)
  return yields_when_idle() ? LibraryWait::yields_when_idle : LibraryWait::spins_unless_set;
#else
  const bool knows_throttle = runtime.library_version.starts_with("MPICH ") &&
                              !runtime.library_version.starts_with("MPICH 3") &&
                              !runtime.library_version.starts_with("MPICH 4");
  if (knows_throttle && is_set_to("MPIR_CVAR_CH4_PROGRESS_THROTTLE", "1")) {
    return LibraryWait::throttles;
  }
  const bool is_intel = runtime.library_version.find("Intel") != std::string::npos;
  return is_intel && is_set_to("I_MPI_WAIT_MODE", "1") ? LibraryWait::sleeps : LibraryWait::spins;
#endif
}

void decide_wait_mode(WaitPlan& plan, LibraryWait library, WaitMode mode, const job::Placement& placement) {
  const bool spins = library == LibraryWait::spins || library == LibraryWait::spins_unless_set;
  plan.library = library;
  switch (mode) {
  case WaitMode::yield:
    plan.reason = WaitReason::asked_to_yield;
    break;
  case WaitMode::spin:
    plan.reason = WaitReason::asked_to_spin;
    break;
  case WaitMode::automatic:
    plan.reason = placement.oversubscribed ? WaitReason::too_few_cores : WaitReason::enough_cores;
    break;
  }
  plan.yields =
      plan.reason == WaitReason::asked_to_yield || (plan.reason == WaitReason::too_few_cores && spins);
}

namespace {

const char* text_of(LibraryWait library) {
  switch (library) {
  case LibraryWait::spins_unless_set:
    return "Open MPI spins (mpi_yield_when_idle is off)";
  case LibraryWait::yields_when_idle:
    return "Open MPI yields when idle (mpi_yield_when_idle)";
  case LibraryWait::throttles:
    return "MPICH was told to sleep (MPIR_CVAR_CH4_PROGRESS_THROTTLE)";
  case LibraryWait::sleeps:
    return "Intel MPI was told to wait (I_MPI_WAIT_MODE)";
  case LibraryWait::spins:
    break;
  }
  return "the library spins";
}

} // namespace

std::string wait_text(const WaitPlan& plan, const job::Placement& placement) {
  switch (plan.reason) {
  case WaitReason::asked_to_yield:
    return "waiting yields: THALWEG_WAIT=yield";
  case WaitReason::asked_to_spin:
    return "waiting is the library's: THALWEG_WAIT=spin";
  case WaitReason::enough_cores:
    return "waiting is the library's: no node has more ranks than cores";
  case WaitReason::too_few_cores:
    return fmt::format("{} ranks share {:g} core{}: waiting {}, {}", placement.oversubscribed_ranks,
                       placement.oversubscribed_cores, placement.oversubscribed_cores == 1 ? "" : "s",
                       plan.yields ? "yields" : "is the library's", text_of(plan.library));
  case WaitReason::unseen_start:
    break;
  }
  return "waiting is the library's: MPI_Init was not seen, so ranks cannot agree";
}

} // namespace thalweg::mpi

#include "thalweg/control.h"

#include <exception>
#include <string>

#include "mpi/gate.hpp"
#include "mpi/known_calls.hpp"
#include "mpi/runner/choice.hpp"
#include "mpi/runtime.hpp"
#include "mpi/tuning.hpp"

extern "C" __attribute__((visibility("default"))) int thalweg_choose(const char* selections) {
  try {
    thalweg::mpi::choices().read(selections);
    thalweg::mpi::forget_known_calls();
    if (thalweg::mpi::choices().any_strategy()) {
      thalweg::mpi::runtime.polls_collectives = true;
      thalweg::mpi::runtime.passes_calls = false;
    }
    return 0;
  } catch (const std::exception& error) {
    thalweg::mpi::say(error.what());
    return -1;
  }
}

extern "C" __attribute__((visibility("default"))) const char* thalweg_fingerprint() {
  static const std::string text = thalweg::mpi::fingerprint_text();
  return text.c_str();
}

extern "C" __attribute__((visibility("default"))) int thalweg_bypass(int on) {
  using thalweg::mpi::Standing;
  using thalweg::mpi::standing;
  if (standing.load() == Standing::unstarted) {
    thalweg::mpi::begin();
  }
  // What is passed through for good stays so.
  Standing from = on != 0 ? Standing::active : Standing::paused;
  standing.compare_exchange_strong(from, on != 0 ? Standing::paused : Standing::active);
  return standing.load() >= Standing::bypass ? 1 : 0;
}

#include "thalweg/control.h"

#include <exception>
#include <string>

#include "mpi/choose/choice.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/run/known_calls.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/runtime.hpp"

extern "C" THALWEG_API thalweg_status thalweg_set_selection(const char* selections) {
  try {
    thalweg::mpi::choices().read(selections);
    thalweg::mpi::forget_known_calls();
    return thalweg_success;
  } catch (const std::exception& error) {
    thalweg::mpi::say(error.what());
    return thalweg_error_invalid_argument;
  }
}

extern "C" __attribute__((visibility("default"))) const char* thalweg_fingerprint() {
  static const std::string text = thalweg::mpi::fingerprint_text();
  return text.c_str();
}

extern "C" __attribute__((visibility("default"))) int thalweg_bypass(int on) {
  using thalweg::mpi::Standing;
  thalweg::mpi::standing.store(on != 0 ? Standing::bypass : Standing::active);
  return on;
}

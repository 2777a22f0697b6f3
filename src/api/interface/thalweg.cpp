// SPDX-License-Identifier: BSD-3-Clause
#include "thalweg/thalweg.h"

#include "boundary/guarded.hpp"
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "schedule/verifier.hpp"
#include "strategies/sample.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace thalweg;
using boundary::guarded;
using boundary::must_be_given;

constexpr std::int64_t unit_bytes = 1024;

strategies::Sample sample(const char* selection, int ranks, int root) {
  return strategies::make_sample(selection == nullptr ? "" : selection,
                                 {.ranks = ranks, .root = root, .unit_bytes = unit_bytes});
}

std::string write(const strategies::Sample& sample, int rank, thalweg_schedule_format format) {
  switch (format) {
  case thalweg_schedule_format_text:
    return schedule::print(strategies::build(sample, rank));
  case thalweg_schedule_format_dot:
    return schedule::draw(strategies::build_all(sample));
  case thalweg_schedule_format_goal:
    return strategies::export_goal(sample, unit_bytes);
  }
  throw Error("format " + std::to_string(static_cast<int>(format)), "choose a thalweg_schedule_format_...");
}

char* copy(const std::string& text) {
  char* result = static_cast<char*>(std::malloc(text.size() + 1));
  if (result == nullptr)
    throw std::bad_alloc();
  return static_cast<char*>(std::memcpy(result, text.c_str(), text.size() + 1));
}

} // namespace

extern "C" {

const char* thalweg_version(void) {
  return THALWEG_VERSION;
}

thalweg_status thalweg_strategies(thalweg_visit* visit, void* context) {
  return guarded({.call = "strategies"}, [&] {
    must_be_given(reinterpret_cast<const void*>(visit), "visit");
    for (const strategies::Strategy& strategy : strategies::all()) {
      const std::string operation(schedule::name(strategy.operation));
      if (visit(operation.c_str(), std::string(strategy.name).c_str(), std::string(strategy.summary).c_str(),
                context) != 0)
        return;
    }
  });
}

thalweg_status thalweg_schedule(const char* selection, int ranks, int root, int rank,
                                thalweg_schedule_format format, char** text) {
  return guarded({.call = "schedule"}, [&] {
    must_be_given(text, "text");
    *text = nullptr;
    *text = copy(write(sample(selection, ranks, root), rank, format));
  });
}

thalweg_status thalweg_prove(const char* selection, int ranks, int root) {
  return guarded({.call = "prove"}, [&] {
    const strategies::Sample proven = sample(selection, ranks, root);
    const schedule::Verdict verdict = schedule::verify(proven.problem, strategies::build_all(proven));
    if (!verdict.proven())
      throw Error(std::to_string(verdict.faults.size()) + " faults: " + verdict.faults.front(),
                  "please report this, unless the strategy is your own", thalweg_error_not_proven);
  });
}

void thalweg_free(char* text) {
  std::free(text);
}

} // extern "C"

#include "thalweg/thalweg.h"

#include "core/error.hpp"
#include "schedule/dot.hpp"
#include "schedule/goal.hpp"
#include "schedule/printer.hpp"
#include "schedule/verifier.hpp"
#include "strategies/sample.hpp"

#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace thalweg;

constexpr std::int64_t unit_bytes = 1024;

thread_local std::string last_error; // NOLINT: C has no other way to say what failed

strategies::Sample sample(const char* selection, int ranks, int root) {
  return strategies::make_sample(selection == nullptr ? "" : selection,
                                 {.ranks = ranks, .root = root, .unit_bytes = unit_bytes});
}

std::string write(const strategies::Sample& sample, int rank, thalweg_form form) {
  switch (form) {
  case thalweg_form_text:
    return schedule::print(strategies::build(sample, rank));
  case thalweg_form_dot:
    return schedule::draw(strategies::build_all(sample));
  case thalweg_form_goal:
    return schedule::export_goal(strategies::build_all(sample), {.unit_bytes = unit_bytes});
  }
  throw Error("form " + std::to_string(static_cast<int>(form)), "choose a thalweg_form_...");
}

/// Runs `call`, which returns a Result; where it throws, keeps the reason and returns `failure`.
template <typename Result, typename Call>
Result guarded(Result failure, Call&& call) noexcept {
  try {
    return call();
  } catch (const std::exception& error) {
    try {
      last_error = error.what();
    } catch (...) {
      last_error.clear();
    }
    return failure;
  }
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

const char* thalweg_error(void) {
  return last_error.c_str();
}

int thalweg_strategies(thalweg_visit* visit, void* context) {
  return guarded(-1, [&] {
    for (const strategies::Strategy& strategy : strategies::all()) {
      const std::string operation(schedule::name(strategy.operation));
      const int answer = visit(operation.c_str(), std::string(strategy.name).c_str(),
                               std::string(strategy.summary).c_str(), context);
      if (answer != 0)
        return answer;
    }
    return 0;
  });
}

char* thalweg_schedule(const char* selection, int ranks, int root, int rank, thalweg_form form) {
  return guarded<char*>(nullptr, [&] { return copy(write(sample(selection, ranks, root), rank, form)); });
}

int thalweg_prove(const char* selection, int ranks, int root) {
  return guarded(-1, [&] {
    const strategies::Sample proven = sample(selection, ranks, root);
    const schedule::Verdict verdict = schedule::verify(proven.problem, strategies::build_all(proven));
    if (!verdict.proven())
      last_error = verdict.faults.front();
    return static_cast<int>(verdict.faults.size());
  });
}

void thalweg_free(char* text) {
  std::free(text);
}

} // extern "C"

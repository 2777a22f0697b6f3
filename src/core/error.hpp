#pragma once

#include <stdexcept>
#include <string>

namespace thalweg {

/// What went wrong, for a person: what was attempted, with which value, and what to do about it.
/// The root of every exception the core throws; it never crosses a C or MPI boundary.
class Error : public std::runtime_error {
public:
  /// `problem` names the call, rank and value concerned; `remedy` is a full sentence.
  Error(const std::string& problem, const std::string& remedy)
      : std::runtime_error(remedy.empty() ? problem : problem + "; " + remedy), problem_(problem),
        remedy_(remedy) {}

  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }

private:
  std::string problem_;
  std::string remedy_;
};

} // namespace thalweg

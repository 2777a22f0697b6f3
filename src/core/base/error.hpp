// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "thalweg/status.h"

#include <stdexcept>
#include <string>

namespace thalweg {

/// What went wrong, for a person: what was attempted, with which value, and what to do about it.
/// The root of every exception the core throws; it never crosses a C or MPI boundary. The boundary turns it
/// into its status and a text, to which it adds the failing call and the rank.
class Error : public std::runtime_error {
public:
  /// `problem` names the value concerned; `remedy` is a full sentence.
  Error(const std::string& problem, const std::string& remedy,
        thalweg_status status = thalweg_error_invalid_argument)
      : std::runtime_error(remedy.empty() ? problem : problem + "; " + remedy), problem_(problem),
        remedy_(remedy), status_(status) {}

  const std::string& problem() const noexcept { return problem_; }
  const std::string& remedy() const noexcept { return remedy_; }
  thalweg_status status() const noexcept { return status_; }

private:
  std::string problem_;
  std::string remedy_;
  thalweg_status status_;
};

} // namespace thalweg

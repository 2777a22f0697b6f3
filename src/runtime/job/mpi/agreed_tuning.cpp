// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/agreed_tuning.hpp"

#include <string>
#include <utility>

namespace thalweg::job {

// In the tuning file's own format, whose reader accepts every text that a person may have written there.
tune::Tuning agree_on_tuning(const Agreement& everybody, tune::Tuning known) {
  std::string text;
  if (everybody.own() == 0 && !known.is_empty())
    text = tune::to_text({known});
  everybody.broadcast(text);
  tune::TuningFile file = tune::parse_tuning(text, "the first rank's picks");
  return file.empty() ? tune::Tuning{known.machine, {}} : std::move(file.front());
}

} // namespace thalweg::job

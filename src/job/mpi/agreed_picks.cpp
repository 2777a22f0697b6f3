#include "job/mpi/agreed_picks.hpp"

#include <string>
#include <utility>

namespace thalweg::job {

// In the tuning file's own format, whose reader accepts every text that a person may have written there.
std::vector<tune::Pick> agree_on_picks(const Agreement& everybody, const machine::Fingerprint& group,
                                       std::vector<tune::Pick> picks) {
  std::string text;
  if (everybody.own() == 0 && !picks.empty())
    text = tune::to_text({{group, std::move(picks)}});
  everybody.broadcast(text);
  tune::TuningFile file = tune::parse_tuning(text, "the first rank's picks");
  return file.empty() ? std::vector<tune::Pick>{} : std::move(file.front().picks);
}

} // namespace thalweg::job

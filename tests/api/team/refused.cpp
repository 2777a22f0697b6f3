// SPDX-License-Identifier: BSD-3-Clause

// Does not compile: texts are not their bytes.

#include "thalweg/team.hpp"

#include <string>
#include <vector>

void broadcast_texts(thalweg::team& all, std::vector<std::string>& texts) {
  all.broadcast(std::span<std::string>(texts), 0);
}

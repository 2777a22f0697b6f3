#pragma once

// Figures as people read them, for the summary.

#include <string>

namespace thalweg::mpi::observe {

std::string duration_text(double ns);
std::string bytes_text(double count);
std::string percent_text(double share);

} // namespace thalweg::mpi::observe

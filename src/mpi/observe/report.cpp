#include "mpi/observe/report.hpp"

namespace thalweg::mpi::observe {

void report() {}

} // namespace thalweg::mpi::observe

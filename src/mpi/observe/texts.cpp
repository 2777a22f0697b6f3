#include "mpi/observe/texts.hpp"

#include <utility>

#include <fmt/format.h>

namespace thalweg::mpi::observe {

std::string duration_text(double ns) {
  for (const auto& [unit, size] : {std::pair{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}}) {
    if (ns >= size) {
      return fmt::format("{:.{}f} {}", ns / size, ns / size < 10 ? 2 : ns / size < 100 ? 1 : 0, unit);
    }
  }
  return fmt::format("{:.0f} ns", ns);
}

std::string bytes_text(double count) {
  for (const auto& [unit, size] : {std::pair{"GiB", 1073741824.0}, {"MiB", 1048576.0}, {"KiB", 1024.0}}) {
    if (count >= size) {
      return fmt::format("{:.{}f} {}", count / size, count / size < 10 ? 1 : 0, unit);
    }
  }
  return fmt::format("{:.0f} B", count);
}

std::string percent_text(double share) {
  return fmt::format("{:.0f}%", 100 * share);
}

} // namespace thalweg::mpi::observe

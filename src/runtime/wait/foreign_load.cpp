// SPDX-License-Identifier: BSD-3-Clause
#include "wait/foreign_load.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace thalweg::wait {

std::optional<int> runnable_in(std::string_view loadavg) {
  const std::size_t slash = loadavg.find('/');
  if (slash == std::string_view::npos)
    return std::nullopt;
  const std::size_t space = loadavg.rfind(' ', slash);
  const std::string_view digits =
      space == std::string_view::npos ? std::string_view() : loadavg.substr(space + 1, slash - space - 1);
  int count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool is_whole = error == std::errc() && end == digits.data() + digits.size();
  return is_whole && count >= 0 ? std::optional(count) : std::nullopt;
}

// Not by the C library's functions, which are points of cancellation: as for sleeps (wait/system.cpp).
std::optional<int> runnable_threads() {
  const int errors = errno;
  std::array<char, 128> text{};
  long length = 0;
  const long file = ::syscall(SYS_openat, AT_FDCWD, "/proc/loadavg", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    length = std::max(0L, ::syscall(SYS_read, file, text.data(), text.size()));
    ::syscall(SYS_close, file);
  }
  errno = errors; // who yields expects nothing there
  return runnable_in({text.data(), static_cast<std::size_t>(length)});
}

} // namespace thalweg::wait

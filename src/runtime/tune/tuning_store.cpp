// SPDX-License-Identifier: BSD-3-Clause

// Tuning files on disk: read as a whole, replaced as a whole.

#include "base/error.hpp"
#include "base/files.hpp"
#include "tune/tuning_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>

namespace thalweg::tune {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, int error) {
  throw Error(fmt::format("{}: {}", what, std::strerror(error)),
              "nothing was changed; name another file: --tuning FILE or THALWEG_TUNING",
              thalweg_error_system);
}

Descriptor opened(const std::string& path, int flags) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (file.number() < 0)
    fail(fmt::format("{} cannot be opened", path), errno);
  return file;
}

void replace(const std::string& path, const TuningFile& file) {
  if (const std::error_code cause = write_file(path, to_text(file), Durability::synced))
    fail(fmt::format("{} cannot be written", path), cause.value());
}

// Moves a file away, to a name that nothing has. Nobody else does it meanwhile: the caller has the lock.
std::string moved_away(const std::string& path) {
  std::error_code error;
  std::string kept = path + ".refused";
  for (int number = 2; fs::exists(fs::symlink_status(kept, error)); ++number)
    kept = fmt::format("{}.refused-{}", path, number);
  fs::rename(fs::canonical(path), kept, error);
  if (error)
    fail(fmt::format("{} does not read and cannot be moved away", path), error.value());
  return kept;
}

} // namespace

TuningFile load_tuning(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return {};
  return parse_tuning(read_text(path, "name another file: --tuning FILE or THALWEG_TUNING"), path);
}

std::string save_tuning(const std::string& path, const Tuning& found) {
  std::error_code error;
  TuningFile file;
  if (fs::exists(path, error) && !fs::is_regular_file(path, error)) {
    merge(file, found); // into a device or a pipe
    replace(path, file);
    return "";
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty())
    fs::create_directories(folder, error);
  if (error)
    fail(fmt::format("{} cannot be made", folder.string()), error.value());
  const Descriptor lock = opened(path + ".lock", O_RDWR | O_CREAT);
  if (::flock(lock.number(), LOCK_EX) != 0)
    fail(fmt::format("{}.lock cannot be locked", path), errno);
  std::string kept;
  try {
    file = load_tuning(path);
  } catch (const Error& fault) {
    if (fault.status() == thalweg_error_system)
      throw;
    kept = moved_away(path);
  }
  merge(file, found);
  replace(path, file);
  return kept;
}

} // namespace thalweg::tune

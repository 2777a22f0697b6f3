// Tuning files on disk: read as a whole, replaced as a whole.

#include "core/descriptor.hpp"
#include "core/error.hpp"
#include "tune/tuning_file.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/file.h>
#include <unistd.h>

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

void write_whole(const std::string& path, const std::string& text) {
  const Descriptor file = opened(path, O_WRONLY | O_CREAT | O_TRUNC);
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = ::write(file.number(), text.data() + written, text.size() - written);
    if (count < 0 && errno != EINTR)
      fail(fmt::format("{} cannot be written", path), errno);
    written += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  if (::fsync(file.number()) != 0)
    fail(fmt::format("{} cannot be written", path), errno);
}

} // namespace

TuningFile load_tuning(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error))
    return {};
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.good() && !stream.eof())
    throw Error(fmt::format("{} cannot be read", path), "name another file: --tuning FILE or THALWEG_TUNING",
                thalweg_error_system);
  return parse_tuning(text, path);
}

void save_tuning(const std::string& path, const Tuning& found) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty())
    fs::create_directories(folder, error);
  if (error)
    fail(fmt::format("{} cannot be made", folder.string()), error.value());
  const Descriptor lock = opened(path + ".lock", O_RDWR | O_CREAT);
  if (::flock(lock.number(), LOCK_EX) != 0)
    fail(fmt::format("{}.lock cannot be locked", path), errno);
  TuningFile file;
  try {
    file = load_tuning(path);
  } catch (const Error&) {
    fs::rename(path, path + ".refused", error);
    if (error)
      fail(fmt::format("{} does not read and cannot be moved away", path), error.value());
  }
  merge(file, found);
  // The lock makes the name ours; what a killed writer left of it is overwritten.
  const std::string fresh = path + ".new";
  try {
    write_whole(fresh, to_text(file));
  } catch (...) {
    fs::remove(fresh, error);
    throw;
  }
  if (std::rename(fresh.c_str(), path.c_str()) != 0) {
    const int cause = errno;
    fs::remove(fresh, error);
    fail(fmt::format("{} cannot be replaced", path), cause);
  }
}

} // namespace thalweg::tune

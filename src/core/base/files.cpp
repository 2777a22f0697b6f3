// SPDX-License-Identifier: BSD-3-Clause
#include "base/files.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace thalweg {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t chunk_bytes = std::size_t{1} << 16;
constexpr int links_max = 40; // as the kernel follows
constexpr mode_t any_mode = 0666;
constexpr mode_t mode_bits = 07777;

std::error_code last_error() {
  return {errno, std::generic_category()};
}

Descriptor opened(const std::string& path, int flags, mode_t mode = any_mode) {
  int file = -1;
  do
    file = ::open(path.c_str(), flags | O_CLOEXEC | O_NOCTTY, mode);
  while (file < 0 && errno == EINTR);
  return Descriptor(file);
}

/// A program whose rank writes into a pipe that nobody reads any longer is told so, not ended.
class WithoutPipeSignal {
public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~WithoutPipeSignal() {
    const timespec at_once{};
    if (!was_pending_)
      sigtimedwait(&pipe_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;

private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

std::error_code write_whole(int file, std::string_view content) {
  const WithoutPipeSignal guard;
  while (!content.empty()) {
    const ssize_t count = ::write(file, content.data(), content.size());
    if (count < 0 && errno != EINTR)
      return last_error();
    content.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return {};
}

std::error_code write_into(const std::string& path, std::string_view content, int flags) {
  const Descriptor file = opened(path, O_WRONLY | flags);
  return file.number() < 0 ? last_error() : write_whole(file.number(), content);
}

/// What a path leads to at last, and whether it does so by a process's open descriptor.
struct Target {
  std::string path;
  bool is_descriptor = false;
};

Target target_of(const std::string& path) {
  Target target{path};
  for (int links = 0; links < links_max; ++links) {
    std::error_code error;
    const fs::path here = target.path;
    const fs::path folder = fs::canonical(here.has_parent_path() ? here.parent_path() : ".", error);
    const std::string place = folder.string() + "/";
    if (!error && place.starts_with("/proc/") && place.ends_with("/fd/"))
      return {target.path, true};
    const fs::path next = fs::read_symlink(here, error);
    if (error)
      return target;
    target.path = next.is_absolute() ? next.string() : (here.parent_path() / next).string();
  }
  return target;
}

/// The file that is to replace `path`, ours alone by a lock; a killed writer's is overwritten.
Descriptor opened_fresh(const std::string& fresh) {
  for (;;) {
    Descriptor file = opened(fresh, O_WRONLY | O_CREAT | O_NOFOLLOW);
    if (file.number() < 0)
      return file;
    ::flock(file.number(), LOCK_EX); // some file systems have none
    struct stat own {};
    struct stat named {};
    const bool is_there = ::fstat(file.number(), &own) == 0 && ::stat(fresh.c_str(), &named) == 0;
    if (is_there && own.st_ino == named.st_ino && own.st_dev == named.st_dev)
      return file;
  }
}

std::error_code replace(const std::string& path, std::string_view content, Durability durability,
                        const struct stat* before) {
  const std::string fresh = path + ".new";
  std::error_code error;
  {
    const Descriptor file = opened_fresh(fresh);
    if (file.number() < 0)
      return last_error();
    if (::ftruncate(file.number(), 0) != 0)
      error = last_error();
    if (before != nullptr && ::fchmod(file.number(), before->st_mode & mode_bits) != 0)
      error = last_error();
    if (!error)
      error = write_whole(file.number(), content);
    if (!error && durability == Durability::synced && ::fsync(file.number()) != 0)
      error = last_error();
    if (!error && std::rename(fresh.c_str(), path.c_str()) != 0)
      error = last_error();
    if (error)
      ::unlink(fresh.c_str());
  }
  return error;
}

/// May a file be written to that cannot be replaced? In folders of others, and where it is mounted.
bool is_of_the_folder(const std::error_code& error) {
  constexpr std::array codes{EACCES, EPERM, EROFS, EBUSY};
  return std::ranges::find(codes, error.value()) != codes.end();
}

[[noreturn]] void refuse(const std::string& path, const std::string& why, const std::string& remedy) {
  throw Error(fmt::format("{}: {}", path, why), remedy, thalweg_error_system);
}

void check_text(const std::string& path, std::string_view text, const std::string& remedy) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    refuse(path, "it is UTF-16", "save it as UTF-8");
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos)
    throw Error(fmt::format("{}:{}: a byte of value 0, so it is no text", path,
                            1 + std::ranges::count(text.substr(0, zero), '\n')),
                remedy, thalweg_error_system);
}

} // namespace

std::string read_text(const std::string& path, const std::string& remedy) {
  const Descriptor file = opened(path, O_RDONLY);
  if (file.number() < 0)
    refuse(path, fmt::format("cannot be read: {}", std::strerror(errno)), remedy);
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + chunk_bytes);
    const ssize_t count = ::read(file.number(), text.data() + before, chunk_bytes);
    const int error = errno;
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    if (count < 0 && error == EINTR)
      continue;
    if (count < 0)
      refuse(path, fmt::format("cannot be read: {}", std::strerror(error)), remedy);
    // At once: a device of zeros has no end.
    if (count == 0 || std::memchr(text.data() + before, 0, text.size() - before) != nullptr)
      break;
  }
  check_text(path, text, remedy);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  return text.starts_with(byte_order_mark) ? text.substr(byte_order_mark.size()) : text;
}

std::error_code write_file(const std::string& path, std::string_view content, Durability durability) {
  struct stat found {};
  const bool exists = ::stat(path.c_str(), &found) == 0;
  if (!exists && errno != ENOENT)
    return last_error();
  if (exists && S_ISDIR(found.st_mode))
    return {EISDIR, std::generic_category()};
  const Target target = target_of(path);
  if (target.is_descriptor)
    return write_into(path, content, O_APPEND);
  if (exists && !S_ISREG(found.st_mode))
    return write_into(path, content, 0);
  const std::error_code error = replace(target.path, content, durability, exists ? &found : nullptr);
  if (exists && is_of_the_folder(error))
    return write_into(path, content, O_TRUNC);
  return error;
}

} // namespace thalweg

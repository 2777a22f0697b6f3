// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/journal.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <new>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace thalweg::mpi::observe {

struct KeptText {
  const KeptText* next;
  const char* text;
};

namespace {

constexpr std::size_t reserved_at_once = std::size_t{64} << 10U;
constexpr std::size_t alignment = alignof(std::max_align_t);

// The reader maps a section where the rank had it, so ranks ask for places that nobody else is given.
void* wanted_place(std::uint32_t section) {
  constexpr std::uintptr_t first = 0x5100'0000'0000;
  return reinterpret_cast<void*>(first + section * journal_section_bytes); // NOLINT: a hint
}

// On another host the path may lead to anything.
int open_own(const char* path) {
  std::array<char, 64> target{};
  constexpr std::string_view name = "/memfd:thalweg-journal";
  if (readlink(path, target.data(), target.size() - 1) < 0 ||
      !std::string_view(target.data()).starts_with(name))
    return -1;
  return ::open(path, O_RDWR | O_CLOEXEC);
}

// Ranks of a host begin at the same time, and one of them writes the head.
int open_made(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0 || flock(file, LOCK_EX) != 0)
    return file;
  struct stat found {};
  if (fstat(file, &found) == 0 && found.st_size == 0 && ftruncate(file, journal_page) == 0)
    static_cast<void>(pwrite(file, JournalFile::right_magic, sizeof JournalFile::right_magic, 0));
  flock(file, LOCK_UN);
  return file;
}

// Some network file systems reserve no pages.
bool reserve_pages(int file, off_t begin) {
  if (fallocate(file, 0, begin, reserved_at_once) == 0)
    return true;
  static constexpr std::array<char, reserved_at_once> zeros{};
  return errno == EOPNOTSUPP &&
         pwrite(file, zeros.data(), zeros.size(), begin) == static_cast<ssize_t>(zeros.size());
}

// Folders that serve where this host has not the one that it should be.
std::vector<std::string> temporary_folders(const std::string& wanted) {
  const std::string name =
      fmt::format("thalweg-{}-{}", geteuid(), wanted.substr(wanted.find_last_of('/') + 1));
  std::vector<std::string> folders{"/tmp/" + name};
  if (const char* const own = std::getenv("TMPDIR"); own != nullptr && *own == '/')
    folders.insert(folders.begin(), fmt::format("{}/{}", own, name));
  return folders;
}

// Others may write to the folder above, so nobody else is to have made it.
bool is_own_folder(const std::string& folder) {
  mkdir(folder.c_str(), 0700);
  struct stat found {};
  return lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid();
}

// Null where it is no journal.
JournalFile* map_head(int file) {
  void* const mapped = mmap(nullptr, journal_page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  auto* const head = static_cast<JournalFile*>(mapped);
  if (std::memcmp(head->magic, JournalFile::right_magic, sizeof head->magic) == 0)
    return head;
  munmap(mapped, journal_page);
  return nullptr;
}

} // namespace

bool Journal::open(const char* path) {
  const std::lock_guard lock(mutex_);
  return section_ == nullptr && (file_ = open_own(path)) >= 0 && take_section();
}

bool Journal::open_in(const char* folder) {
  const std::lock_guard lock(mutex_);
  if (section_ != nullptr)
    return false;
  mkdir(folder, 0755);
  if (open_file(folder))
    return true;
  const std::vector<std::string> others = temporary_folders(folder);
  return std::ranges::any_of(
      others, [&](const std::string& other) { return is_own_folder(other) && open_file(other); });
}

bool Journal::open_file(const std::string& folder) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  path_ = fmt::format("{}/{}-{}.journal", folder, host.data(), getppid());
  return (file_ = open_made(path_)) >= 0 && take_section();
}

bool Journal::take_section() {
  if (JournalFile* const head = map_head(file_)) {
    const std::uint32_t number = head->sections.fetch_add(1);
    munmap(head, journal_page);
    offset_ = journal_offset(number);
    if (reserve(sizeof(JournalSection))) {
      void* const mapped = mmap(wanted_place(number), journal_section_bytes, PROT_READ | PROT_WRITE,
                                MAP_SHARED, file_, static_cast<off_t>(offset_));
      if (mapped != MAP_FAILED) {
        section_ = new (mapped) JournalSection{};
        section_->base = mapped;
        used_ = sizeof(JournalSection);
        return true;
      }
    }
  }
  close(file_);
  file_ = -1;
  return false;
}

void Journal::close_section() {
  if (section_ == nullptr)
    return;
  section_->state.store(JournalState::reported);
  if (path_.empty() || !is_last())
    return;
  unlink(path_.c_str());
  rmdir(path_.substr(0, path_.rfind('/')).c_str()); // fails until the last host's file is gone
}

// Whether no other rank of this host's has still to report; those of earlier jobs never will.
bool Journal::is_last() const {
  JournalFile head{};
  if (pread(file_, static_cast<void*>(&head), sizeof head, 0) != sizeof head)
    return false;
  for (std::uint32_t number = 0; number < head.sections.load(); ++number) {
    JournalSection other{};
    const auto offset = static_cast<off_t>(journal_offset(number));
    if (pread(file_, static_cast<void*>(&other), sizeof other, offset) == sizeof other &&
        other.job == section_->job && other.state.load() == JournalState::running)
      return false;
  }
  return true;
}

void* Journal::allocate(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const std::size_t begin = (used_ + alignment - 1) / alignment * alignment;
  if (section_ == nullptr || !reserve(begin + bytes))
    return nullptr;
  used_ = begin + bytes;
  return reinterpret_cast<char*>(section_) + begin;
}

const char* Journal::keep(std::string_view text) {
  if (section_ == nullptr)
    return nullptr;
  {
    const std::lock_guard lock(mutex_);
    for (const KeptText* known = section_->first_text; known != nullptr; known = known->next)
      if (text == known->text)
        return known->text;
  }
  void* const place = allocate(sizeof(KeptText) + text.size() + 1);
  if (place == nullptr)
    return nullptr;
  char* const copy = static_cast<char*>(place) + sizeof(KeptText);
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  const std::lock_guard lock(mutex_);
  section_->first_text = new (place) KeptText{section_->first_text, copy};
  return copy;
}

void Journal::add(JournalRow& row) {
  THALWEG_ASSERT(light, section_ != nullptr && row.next == nullptr);
  const std::lock_guard lock(mutex_);
  row.next = section_->first_row;
  section_->first_row = &row;
}

void Journal::add(JournalSlices& slices) {
  THALWEG_ASSERT(light, section_ != nullptr && slices.next == nullptr);
  const std::lock_guard lock(mutex_);
  slices.next = section_->first_slices;
  section_->first_slices = &slices;
}

bool Journal::reserve(std::size_t end) {
  if (end > journal_section_bytes)
    return false;
  while (reserved_ < end) {
    if (!reserve_pages(file_, static_cast<off_t>(offset_ + reserved_)))
      return false;
    reserved_ += reserved_at_once;
  }
  return true;
}

Journal& journal() {
  return of_process<Journal>();
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank counts, in memory that outlives it: `thalweg run` makes the memory, each rank of its host takes
// a section of it, and rows of call tables lie there. So a job that ends without MPI_Finalize, however it
// ends, has a report. Without such memory rows lie on the heap.
//
// The memory is a file without a name (memfd) that the command holds open; ranks find it in /proc. Ranks that
// the command did not start itself, and those of other hosts, share a file for each host in a folder beside
// the report; where that cannot be written on a host, in one of that name in its folder for temporary files.
// The file is gone with the last of them that reports; what is left there, `thalweg report FOLDER` reads.
// Pages are reserved before they are handed out, since a write to one that there is no room for would kill
// the program.

#include "mpi/observe/ticks.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace thalweg::mpi::observe {

struct KeptText;
struct JournalSamples;

/// What a section lists.
struct JournalRow {
  const JournalRow* next = nullptr;
};

struct JournalSlices {
  const JournalSlices* next = nullptr;
};

enum class JournalState : std::uint32_t { empty, running, reported };

/// The beginning of a rank's section; pointers are those of the rank, which maps the section at `base`.
struct JournalSection {
  std::atomic<JournalState> state;
  std::int32_t rank;
  std::int32_t ranks; ///< of the job
  std::int32_t node;
  std::int32_t pid;
  bool counter_is_steady;
  char host[256];
  std::uint64_t job; ///< when it began, in nanoseconds of rank 0's clock of the day: the same on all ranks
  std::uint64_t start_ns; ///< of CLOCK_MONOTONIC
  TickScale tick_scale;
  std::uint64_t latest_ns; ///< both clocks, read about once in a millisecond of MPI calls
  std::uint64_t latest_ticks;
  const void* base;
  const char* description; ///< of describe_run() (report/report.cpp)
  const JournalRow* first_row;
  const JournalSlices* first_slices; ///< of its threads
  const KeptText* first_text;
  const JournalSamples* first_samples;
};

/// The beginning of the memory. Sections lie behind its page.
struct JournalFile {
  static constexpr char right_magic[24] = "thalweg-journal-3";
  char magic[24];
  std::atomic<std::uint32_t> sections; ///< taken so far
};

inline constexpr std::size_t journal_page = 4096;
inline constexpr std::size_t journal_section_bytes = std::size_t{16} << 20U;

constexpr std::size_t journal_offset(std::uint32_t section) {
  return journal_page + section * journal_section_bytes;
}

class Journal {
public:
  /// Takes a section of the memory whose path it is; false where there is none of ours at that path.
  bool open(const char* path);
  /// Takes a section of this host's file in a folder, or in one of that name among temporary files; makes
  /// both where they are not there.
  bool open_in(const char* folder);
  /// Of a file with a name: where it is; else empty.
  const std::string& path() const { return path_; }
  JournalSection* section() { return section_; }
  /// The rank has reported. The last one of its job takes this host's file away.
  void close_section();
  /// Both clocks, for who reads it on another host.
  void note_time() {
    if (section_ != nullptr) {
      section_->latest_ticks = ticks();
      section_->latest_ns = monotonic_ns();
    }
  }
  /// Memory of the section; null without one, or without room. Never freed.
  void* allocate(std::size_t bytes);
  /// A copy of a text in the section; the same one for the same text. Null without a section, or without
  /// room.
  const char* keep(std::string_view text);
  /// Lists a row that lies in the section.
  void add(JournalRow& row);
  /// A place for a communicator's samples, listed; null for more than some of them, or without room.
  JournalSamples* add_samples(std::uint64_t communicator, int ranks);
  void add(JournalSlices& slices);

private:
  bool open_file(const std::string& folder);
  bool take_section();
  bool reserve(std::size_t end);
  bool is_last() const;

  std::mutex mutex_;
  std::string path_; ///< of a file with a name
  int file_ = -1;
  std::size_t sample_stores_ = 0;
  std::size_t offset_ = 0; ///< of the section in the file
  std::size_t used_ = 0;
  std::size_t reserved_ = 0;
  JournalSection* section_ = nullptr;
};

/// The process's.
Journal& journal();

/// For what rows own: in the journal if there is one, else on the heap.
template <typename T>
struct JournalAllocator {
  using value_type = T;

  JournalAllocator() = default;
  template <typename U>
  JournalAllocator(const JournalAllocator<U>&) {} ///< NOLINT: allocators convert
  T* allocate(std::size_t count) {
    void* const place = journal().allocate(count * sizeof(T));
    return static_cast<T*>(place != nullptr ? place : ::operator new(count * sizeof(T)));
  }
  void deallocate(T* place, std::size_t) {
    if (!is_kept(place))
      ::operator delete(place);
  }
  bool operator==(const JournalAllocator&) const { return true; }

  static bool is_kept(const T* place) {
    const auto* const begin = reinterpret_cast<const char*>(journal().section());
    const auto* const address = reinterpret_cast<const char*>(place);
    return begin != nullptr && address >= begin && address < begin + journal_section_bytes;
  }
};

} // namespace thalweg::mpi::observe

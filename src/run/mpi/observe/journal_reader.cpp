// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/journal_reader.hpp"

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/journal.hpp"
#include "mpi/observe/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::json;

// A section, mapped where its rank had it, so that pointers in it hold.
class MappedSection {
public:
  MappedSection(int file, std::uint32_t number) {
    JournalSection head{};
    const auto offset = static_cast<off_t>(journal_offset(number));
    if (pread(file, static_cast<void*>(&head), sizeof head, offset) != sizeof head ||
        head.state.load() != JournalState::running)
      return;
    void* const place = const_cast<void*>(head.base); // NOLINT: an address to ask for
    void* const mapped =
        mmap(place, journal_section_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED_NOREPLACE, file, offset);
    if (mapped == place)
      section_ = static_cast<const JournalSection*>(mapped);
    else if (mapped != MAP_FAILED)
      munmap(mapped, journal_section_bytes);
  }
  ~MappedSection() {
    if (section_ != nullptr)
      munmap(const_cast<JournalSection*>(section_), journal_section_bytes); // NOLINT: as it was mapped
  }
  MappedSection(const MappedSection&) = delete;
  MappedSection& operator=(const MappedSection&) = delete;

  const JournalSection* get() const { return section_; }
  bool holds(const void* address) const {
    const auto* const begin = reinterpret_cast<const char*>(section_);
    const auto* const place = static_cast<const char*>(address);
    return place >= begin && place < begin + journal_section_bytes;
  }
  std::string text(const char* kept) const { return holds(kept) ? kept : ""; }

private:
  const JournalSection* section_ = nullptr;
};

CallProfile profile_of(const MappedSection& section, const CallRow& row, const json& functions,
                       const TickScale& scale) {
  const std::size_t number = row.key.function;
  CallProfile call =
      row_profile(row, number < functions.size() ? functions[number].get<std::string>() : "?",
                  {section.text(row.module), row.address, section.text(row.function)}, scale.ns_per_tick());
  if (row.entered_ticks != 0) {
    call.in_progress_ns =
        std::max(0.0, static_cast<double>(monotonic_ns()) - scale.monotonic_ns_at(row.entered_ticks));
    call.ns += call.in_progress_ns;
  }
  // A rank that ended while it made room for another has no such list.
  constexpr std::size_t max_endings = 1000;
  if (row.endings.size() < max_endings && section.holds(row.endings.data()))
    for (const Ending& ending : row.endings)
      call.endings[{section.text(ending.kept_strategy), section.text(ending.kept_reason)}] += ending.calls;
  return call;
}

RankProfile profile_of(const MappedSection& section, const json& functions) {
  const JournalSection& head = *section.get();
  counter_is_steady = head.counter_is_steady;
  TickScale scale = head.tick_scale;
  scale.finish();
  RankProfile rank;
  rank.rank = head.rank;
  rank.node = head.node;
  rank.host = head.host;
  rank.pid = head.pid;
  rank.wall_ns = static_cast<double>(monotonic_ns() - head.start_ns);
  for (const JournalRow* row = head.first_row; section.holds(row); row = row->next) {
    CallProfile call = profile_of(section, *static_cast<const CallRow*>(row), functions, scale);
    if (!is_in_own_library(call.location))
      rank.calls.push_back(std::move(call));
  }
  return rank;
}

RunDescription run_of(const json& start) {
  RunDescription run;
  run.command = start.at("command");
  run.library = start.at("library");
  run.library_path = start.at("library_path");
  run.family = start.at("family");
  run.yields = start.at("yields");
  run.wait_reason = start.at("wait_reason");
  run.settings = start.at("settings");
  run.user_settings = start.at("user_settings");
  run.node_count = start.at("node_count");
  run.tuning = start.at("tuning");
  run.network = start.at("network");
  run.gpu_memory = start.at("gpu_memory");
  run.fingerprint = start.at("fingerprint");
  return run;
}

} // namespace

UnfinishedJob read_journal(int file) {
  UnfinishedJob job;
  JournalFile head{};
  if (pread(file, static_cast<void*>(&head), sizeof head, 0) != sizeof head)
    return job;
  for (std::uint32_t number = 0; number < head.sections.load(); ++number) {
    const MappedSection section(file, number);
    if (section.get() == nullptr)
      continue;
    const json start = json::parse(section.text(section.get()->description), nullptr, false);
    if (!start.is_object())
      continue;
    if (job.ranks.empty() || section.get()->rank == 0)
      job.run = run_of(start);
    job.rank_count = section.get()->ranks;
    job.ranks.push_back(profile_of(section, start.at("functions")));
  }
  std::ranges::sort(job.ranks, {}, &RankProfile::rank);
  return job;
}

std::string describe_start(const RunDescription& run, const std::vector<const char*>& functions) {
  return json{{"command", run.command},
              {"library", run.library},
              {"library_path", run.library_path},
              {"family", run.family},
              {"yields", run.yields},
              {"wait_reason", run.wait_reason},
              {"settings", run.settings},
              {"user_settings", run.user_settings},
              {"node_count", run.node_count},
              {"tuning", run.tuning},
              {"network", run.network},
              {"gpu_memory", run.gpu_memory},
              {"fingerprint", run.fingerprint},
              {"functions", functions}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace thalweg::mpi::observe

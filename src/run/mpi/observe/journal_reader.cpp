// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/journal_reader.hpp"

#include "mpi/observe/call_table.hpp"
#include "mpi/observe/journal.hpp"
#include "mpi/observe/profile.hpp"
#include "mpi/observe/samples.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <sys/mman.h>
#include <unistd.h>
#include <unordered_map>
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

// Reads the clock of a journal's ranks.
class RankClock {
public:
  RankClock(const JournalSection& head, bool is_live) : scale_(head.tick_scale) {
    counter_is_steady = head.counter_is_steady;
    if (is_live)
      scale_.finish();
    else
      scale_.finish_at(head.latest_ns, head.latest_ticks);
  }

  const TickScale& scale() const { return scale_; }
  double ns_per_tick() const { return scale_.ns_per_tick(); }
  double ns_at(std::uint64_t ticks) const { return scale_.monotonic_ns_at(ticks); }

private:
  TickScale scale_;
};

// Calls `visit` for each row of a section.
template <typename Visit>
void for_each_row(const MappedSection& section, Visit visit) {
  for (const JournalRow* row = section.get()->first_row; section.holds(row); row = row->next)
    visit(*static_cast<const CallRow*>(row));
}

// When the rank was last seen: it entered or left a call.
double last_seen_ns(const MappedSection& section) {
  const RankClock clock(*section.get(), false);
  auto last = static_cast<double>(section.get()->latest_ns);
  for_each_row(section, [&](const CallRow& row) {
    const std::uint64_t ticks = std::max(row.entered_ticks, row.left_ticks);
    last = std::max(last, ticks != 0 ? clock.ns_at(ticks) : 0.0);
  });
  return last;
}

// A rank as it was at the journal's end.
class RankReader {
public:
  RankReader(const MappedSection& section, const json& functions, const RankClock& clock, double end_ns)
      : section_(section), functions_(functions), clock_(clock), end_ns_(end_ns) {}

  RankProfile read() {
    const JournalSection& head = *section_.get();
    RankProfile rank;
    rank.rank = head.rank;
    rank.node = head.node;
    rank.host = head.host;
    rank.pid = head.pid;
    rank.wall_ns = std::max(0.0, end_ns_ - static_cast<double>(head.start_ns));
    for_each_row(section_, [&](const CallRow& row) {
      index_[&row] = static_cast<std::uint32_t>(rank.calls.size());
      rank.calls.push_back(call_of(row));
    });
    rank.ns_per_tick = clock_.ns_per_tick();
    for (const JournalSlices* slices = head.first_slices; section_.holds(slices); slices = slices->next)
      add(rank.slices, run_slices(*static_cast<const SliceTable*>(slices), clock_.scale()));
    for (const JournalSamples* store = head.first_samples; section_.holds(store); store = store->next)
      rank.samples.push_back(samples_of(*store));
    return rank;
  }

private:
  CallProfile call_of(const CallRow& row) const {
    const std::size_t number = row.key.function;
    CallProfile call = row_profile(
        row, number < functions_.size() ? functions_[number].get<std::string>() : "?",
        {section_.text(row.module), row.address, section_.text(row.function)}, clock_.ns_per_tick());
    if (row.entered_ticks > row.left_ticks) {
      // It may be the last that is known of the rank, and it is under way all the same.
      call.in_progress_ns = std::max(1.0, end_ns_ - clock_.ns_at(row.entered_ticks));
      call.ns += call.in_progress_ns;
    }
    // A rank that ended while it made room for another has no such list.
    constexpr std::size_t max_endings = 1000;
    if (row.endings.size() < max_endings && section_.holds(row.endings.data()))
      for (const Ending& ending : row.endings)
        call.endings[{section_.text(ending.kept_strategy), section_.text(ending.kept_reason)}] +=
            ending.calls;
    return call;
  }

  SampledCommunicator samples_of(const JournalSamples& store) const {
    SampledCommunicator result{store.communicator, store.ranks, {}};
    const std::size_t count =
        std::min<std::size_t>(store.count.load(std::memory_order_acquire), store.samples.size());
    for (const Sample& sample : std::span(store.samples).first(count))
      if (const auto row = index_.find(sample.row); row != index_.end())
        result.calls.push_back(
            {sample.call, clock_.ns_at(sample.enter_ticks), clock_.ns_at(sample.exit_ticks), row->second});
    return result;
  }

  const MappedSection& section_;
  const json& functions_;
  const RankClock& clock_;
  double end_ns_;
  std::unordered_map<const CallRow*, std::uint32_t> index_;
};

json facts_to_json(const JobFacts& facts) {
  return {facts.version, facts.start_time, facts.user, facts.folder,
          facts.manager, facts.id,         facts.name, facts.thread_level};
}

json map_to_json(const JobMap& map) {
  json hosts = json::array();
  for (const JobMap::Host& host : map.hosts)
    hosts.push_back({host.name, host.part});
  return {{"hosts", hosts}, {"nodes", map.nodes}};
}

JobMap map_of(const json& start) {
  JobMap map;
  for (const json& host : start.at("map").at("hosts"))
    map.hosts.push_back({host[0], host[1]});
  map.nodes = start.at("map").at("nodes").get<std::vector<int>>();
  return map;
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
  const json& facts = start.at("facts");
  run.facts = {facts[0], facts[1], facts[2], facts[3], facts[4], facts[5], facts[6], facts[7]};
  run.use = start.at("use");
  return run;
}

} // namespace

namespace {

// Calls `visit` for the section of each rank of a journal that made no report.
template <typename Visit>
void for_each_section(int file, Visit visit) {
  JournalFile head{};
  if (pread(file, static_cast<void*>(&head), sizeof head, 0) != sizeof head ||
      std::memcmp(head.magic, JournalFile::right_magic, sizeof head.magic) != 0)
    return;
  for (std::uint32_t number = 0; number < head.sections.load(); ++number) {
    const MappedSection section(file, number);
    if (section.get() != nullptr)
      visit(section);
  }
}

void read_journal(const OpenJournal& journal, std::uint64_t wanted, UnfinishedJob& job, JobMap& map) {
  auto end_ns = static_cast<double>(journal.is_live ? monotonic_ns() : 0);
  if (!journal.is_live)
    for_each_section(journal.file, [&](const MappedSection& section) {
      if (section.get()->job == wanted)
        end_ns = std::max(end_ns, last_seen_ns(section));
    });
  for_each_section(journal.file, [&](const MappedSection& section) {
    const json start = json::parse(section.text(section.get()->description), nullptr, false);
    if (section.get()->job != wanted || !start.is_object())
      return;
    if (job.ranks.empty() || section.get()->rank == 0)
      job.run = run_of(start);
    job.run.began_ns = wanted;
    if (map.hosts.empty())
      map = map_of(start);
    job.rank_count = section.get()->ranks;
    const RankClock clock(*section.get(), journal.is_live);
    job.ranks.push_back(RankReader(section, start.at("functions"), clock, end_ns).read());
  });
}

// Nobody has compared the clocks of hosts: what ranks of several waited for each other is not known.
void drop_samples_across_hosts(std::vector<RankProfile>& ranks) {
  std::unordered_map<std::uint64_t, std::set<std::string>> hosts; // by communicator
  for (const RankProfile& rank : ranks)
    for (const SampledCommunicator& communicator : rank.samples)
      hosts[communicator.id].insert(rank.host);
  for (RankProfile& rank : ranks)
    std::erase_if(rank.samples,
                  [&](const SampledCommunicator& communicator) { return hosts[communicator.id].size() > 1; });
}

} // namespace

UnfinishedJob read_journals(std::span<const OpenJournal> journals) {
  UnfinishedJob job;
  std::uint64_t newest = 0;
  for (const OpenJournal& journal : journals)
    for_each_section(journal.file,
                     [&](const MappedSection& section) { newest = std::max(newest, section.get()->job); });
  JobMap map;
  for (const OpenJournal& journal : journals)
    read_journal(journal, newest, job, map);
  job.run.missing = missing_ranks(map, job.ranks);
  drop_samples_across_hosts(job.ranks);
  std::ranges::sort(job.ranks, {}, &RankProfile::rank);
  return job;
}

std::string describe_start(const RunDescription& run, const std::vector<const char*>& functions,
                           const JobMap& map) {
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
              {"facts", facts_to_json(run.facts)},
              {"use", run.use},
              {"functions", functions},
              {"map", map_to_json(map)}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace thalweg::mpi::observe

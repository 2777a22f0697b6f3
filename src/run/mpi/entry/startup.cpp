// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/entry/startup.hpp"

#include "job/mpi/agreed_knowledge.hpp"
#include "job/waiting.hpp"
#include "mpi/abi/imports.hpp"
#include "mpi/abi/library_api.hpp"
#include "mpi/call/gpu_memory.hpp"
#include "mpi/choose/effect.hpp"
#include "mpi/choose/tuned_choices.hpp"
#include "mpi/choose/tuning.hpp"
#include "mpi/comm/communicators.hpp"
#include "mpi/comm/gathering.hpp"
#include "mpi/comm/opening.hpp"
#include "mpi/entry/child_environment.hpp"
#include "mpi/entry/ending.hpp"
#include "mpi/learn/learned.hpp"
#include "mpi/place/placing.hpp"
#include "mpi/report/report.hpp"
#include "mpi/state/gate.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/state/settings.hpp"
#include "mpi/trace/followed_span.hpp"
#include "mpi/wait/library_progress.hpp"
#include "mpi/wait/progress_thread.hpp"
#include "mpi/wait/wait_mode.hpp"
#include "place/rank_order.hpp"
#include "wait/foreign_load.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fmt/format.h>
#include <mutex>

namespace thalweg::mpi {

namespace {

std::mutex start_mutex;

const char* environment(const char* name) {
  return std::getenv(name);
}

std::string read_library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  native.Get_library_version(text.data(), &length);
  return machine::library_name(text.data());
}

void start_local() {
  if (runtime.ready) {
    return;
  }
  runtime.tick_scale.begin();
  runtime.start_ns = observe::monotonic_ns();
  runtime.library_version = read_library_version();
  runtime.notes.settings = settings_text(environment);
  runtime.settings = parse_settings(runtime.notes.settings);
}

void join_world() {
  runtime.world.is_begun = true;
  runtime.world.communicator = MPI_COMM_WORLD;
  native.Comm_rank(MPI_COMM_WORLD, &runtime.world.rank);
  native.Comm_size(MPI_COMM_WORLD, &runtime.world.size);
  native.Comm_group(MPI_COMM_WORLD, &runtime.world.group);
  int level = MPI_THREAD_SINGLE;
  native.Query_thread(&level);
  runtime.wait.has_threads = level == MPI_THREAD_MULTIPLE;
}

// The same text on all ranks, so the same outcome.
void read_choices() {
  try {
    choices().read(runtime.settings.use);
    for (const std::string& line :
         without_effect(strategies::parse_selections(runtime.settings.use), library_has_rules()))
      runtime.settings.warnings.push_back("THALWEG_USE: " + line);
  } catch (const std::exception& error) {
    runtime.settings.warnings.push_back(
        fmt::format("THALWEG_USE is not understood, so the library's own is used: {}", error.what()));
    runtime.settings.use.clear();
  }
}

// The user's own choice of the library's algorithms comes before everything that could be learned.
void agree_on_learning(const job::Agreement& world) {
  const Settings& settings = runtime.settings;
  std::uint32_t learns = settings.learn != LearnMode::off && settings.learn_budget_percent > 0 &&
                                 user_algorithms().empty() && !runtime.gpu.leaves_data
                             ? 1
                             : 0;
  world.broadcast(learns);
  runtime.learns = learns != 0;
}

// A tuning file that cannot be used harms nothing: everything stays native.
void agree_on_tuning(const job::Agreement& world) {
  if (runtime.settings.tuning.empty()) {
    return;
  }
  job::FoundPicks found;
  try {
    if (runtime.world.rank == 0) {
      found = read_tuning(runtime.settings.tuning);
    }
  } catch (const std::exception& error) {
    found = {{}, fmt::format("tuning file not used: {}", error.what())};
    runtime.settings.warnings.push_back(found.reason);
  }
  runtime.notes.tuning = found.reason;
  runtime.notes.tuned_picks = found.picks;
  tuned_choices().take(job::agree_on_tuning(
      world, {job_fingerprint(), std::move(found.picks), {}, std::move(found.nonblocking)}));
}

// The program's ranks may be others than those that the launcher gave: everything that is known of ranks is
// then of the new ones.
void agree_on_placing(const job::Agreement& world, const std::vector<job::RankPlace>& places,
                      const job::KnownNetwork& network) {
  const job::Placement& placement = runtime.world.placement;
  const machine::Allocation allocation =
      place::job_allocation(runtime.world.node_places, placement.nodes, placement.node_count);
  const PlacingDecision placing = decide_placing(world, allocation, placement.node_count);
  runtime.notes.placing = placing.line;
  runtime.notes.placing_document = placing.document;
  runtime.settings.record |= placing.records;
  const std::vector<std::int32_t>& old_rank_of = placing.old_rank_of;
  if (old_rank_of.empty()) {
    return;
  }
  const auto own = std::ranges::find(old_rank_of, runtime.world.rank);
  if (!swap_world(static_cast<int>(own - old_rank_of.begin()))) {
    return;
  }
  std::vector<job::RankPlace> renumbered;
  for (const std::int32_t old : old_rank_of) {
    renumbered.push_back(places[static_cast<std::size_t>(old)]);
  }
  runtime.world.placement = job::place_ranks(renumbered);
  runtime.world.node_places = network.of(runtime.world.placement);
}

// Strategies run between nodes in orders that follow the network, as far as it is known; and ranks are
// placed.
void agree_on_places(const job::Agreement& world, const std::vector<job::RankPlace>& places) {
  const bool is_wanted = runtime.chooses_strategies || runtime.learns || !runtime.settings.place.empty() ||
                         runtime.settings.reorder;
  job::KnownNetwork known;
  if (runtime.world.placement.node_count > 1 && is_wanted) {
    const machine::Machine machine = runtime.world.rank == 0 ? network_machine() : machine::Machine{};
    known = job::agree_on_network(world, runtime.world.placement, runtime.settings.node_list, machine);
    runtime.world.node_places = known.of(runtime.world.placement);
    runtime.notes.network = known.remark;
  }
  if (!runtime.settings.place.empty()) {
    agree_on_placing(world, places, known);
  }
}

// To yield is safe before anything is agreed: it changes nothing that other ranks see.
job::Agreement world_agreement() {
  const transport::MpiApi& api = library_api();
  return {api,
          MPI_COMM_WORLD,
          job::all_ranks(runtime.world.size),
          runtime.world.rank,
          job::agreement_tag(api, MPI_COMM_WORLD),
          job::wait_policy({}, true)};
}

// Which switches hosts are on is a part of where ranks are, so agents that are busy are waited for a little.
// Nothing of the program's is under way yet.
std::vector<job::RankPlace> gather_places(const job::Agreement& world, job::RankPlace mine,
                                          nic::AggregatorQuestion& question) {
  constexpr auto unreported = job::RankPlace::unreported;
  mine.aggregator = question.answer().value_or(unreported);
  std::vector<job::RankPlace> places = world.allgather(mine);
  const auto is_here = [&](const job::RankPlace& place) { return place.node == mine.node; };
  if (std::ranges::all_of(places, is_here) ||
      std::ranges::find(places, unreported, &job::RankPlace::aggregator) == places.end())
    return places;
  const std::vector<std::uint32_t> aggregators =
      world.allgather(question.answer_within(std::chrono::seconds(2)).value_or(unreported));
  for (std::size_t rank = 0; rank < places.size(); ++rank)
    places[rank].aggregator = aggregators[rank];
  return places;
}

// What happens inside of the library's progress, and whether collectives must not block there.
void agree_on_progress(const job::Agreement& world) {
  // Picks for blocking calls leave nothing in flight.
  const bool executes = choices().any_strategy() || tuned_choices().any_nonblocking_strategy();
  bool may_start = false;
  if (runtime.wait.yields || runtime.chooses_strategies || runtime.learns) {
    struct Able {
      bool yields;
      bool executes;
      bool may_start;
    };
    const bool comes = progress_comes_here();
    const std::vector<Able> able = world.allgather(
        Able{comes, comes && may_execute_in_progress(), runtime.learns && may_start_collectives()});
    may_start = std::ranges::any_of(able, &Able::may_start);
    if (runtime.wait.yields && std::ranges::all_of(able, &Able::yields))
      yield_in_progress();
    runtime.wait.executes_in_progress = std::ranges::all_of(able, &Able::executes);
  }
  runtime.wait.polls_collectives = (runtime.wait.yields && !runtime.wait.yields_in_progress) ||
                                   (executes && !runtime.wait.executes_in_progress);
  // Where operations of ours need collectives that poll, all calls that block would pay for what is learned.
  runtime.learns_nonblocking = runtime.learns && (executes || runtime.wait.executes_in_progress);
  if (runtime.learns_nonblocking && may_start)
    open_channels_for_starts();
}

// Rank 0's settings and its view of the library, and where every rank is.
void agree(nic::AggregatorQuestion& question) {
  const job::Agreement world = world_agreement();
  std::string text = runtime.notes.settings;
  struct Beginning {
    std::uint64_t ns;
    LibraryWait library;
  };
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  Beginning beginning{static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count()), library_wait()};
  world.broadcast(beginning);
  runtime.job_began_ns = beginning.ns;
  world.broadcast(text);
  runtime.notes.settings = text;
  runtime.settings = parse_settings(text);
  read_choices();

  job::RankPlace mine = job::this_place();
  mine.gpu_runtime = loaded_gpu_runtime();
  const std::vector<job::RankPlace> places = gather_places(world, mine, question);
  runtime.world.placement = job::place_ranks(places);
  wait::found_ranks_here(
      std::max(runtime.world.placement.oversubscribed_ranks, runtime.world.placement.max_on_node));
  runtime.gpu = gpu_plan(runtime.settings.gpu_buffers, places);
  runtime.world.agreed = true;
  decide_wait_mode(runtime.wait, beginning.library, runtime.settings.wait_mode, runtime.world.placement);
  process.progress.leaves_contended_cores =
      runtime.wait.yields ||
      (runtime.world.placement.oversubscribed && runtime.settings.wait_mode != WaitMode::spin);
  agree_on_tuning(world);
  agree_on_learning(world);
  runtime.chooses_strategies = !runtime.settings.use.empty() || tuned_choices().any();
  runtime.nonblocking_shapes = tuned_choices().nonblocking_shapes();
  agree_on_places(world, places);
  agree_on_progress(world);
}

void log_warnings() {
  if (runtime.world.rank == 0) {
    for (const std::string& warning : runtime.settings.warnings) {
      log_line(warning);
    }
    if (const char* const limit = progress_thread_limit(); *limit != '\0') {
      log_line(limit);
    }
    if (runtime.settings.verbose) {
      log_line(fmt::format("{}; {}; {}", runtime.library_version, library_path(),
                           wait_text(runtime.wait, runtime.world.placement)));
      if (!runtime.notes.tuning.empty()) {
        log_line(runtime.notes.tuning);
      }
      if (!runtime.notes.network.empty()) {
        log_line(runtime.notes.network);
      }
    }
  }
}

// One line a job: launchers tell processes their ranks before MPI does.
bool is_first_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name)) {
      return std::strcmp(rank, "0") == 0;
    }
  }
  return true;
}

void disable_interposer(const char* what) {
  process.interposer.store(InterposerState::bypass);
  choose_way();
  if (!is_first_rank()) {
    return;
  }
  log_line(fmt::format("{}; every MPI call is passed through", what));
}

} // namespace

void choose_way() {
  const Observation& observed = process.observation;
  const InterposerState state = process.interposer.load();
  const bool must_look = runtime.wait.yields && !runtime.wait.yields_in_progress;
  Way way = Way::untraced;
  if (state >= InterposerState::bypass)
    way = Way::straight;
  else if (!runtime.ready || observed.traces)
    way = Way::observed;
  else if (!must_look && !observed.is_on)
    way = Way::straight;
  else if (!must_look && observed.reports && !observed.messages)
    way = Way::counted;
  process.passage.set_way(way);
}

void begin() {
  const Inside inside;
  const std::lock_guard lock(start_mutex);
  if (process.interposer.load() != InterposerState::unstarted) {
    return;
  }
  try {
    const Library library = resolve_library();
    const char* disabled = std::getenv("THALWEG_DISABLE");
    if (library == Library::absent) {
      disable_interposer("no MPI library is loaded");
    } else if (disabled != nullptr && std::strcmp(disabled, "1") == 0) {
      process.interposer.store(InterposerState::bypass);
      choose_way();
    } else if (library == Library::foreign) {
      disable_interposer(fmt::format("this interposer is for {}, but the program uses {} ({})",
                                     family_name(own_family), family_name(library_family()), library_path())
                             .c_str());
    } else {
      process.interposer.store(InterposerState::active);
    }
  } catch (const std::exception& error) {
    disable_interposer(error.what());
  }
}

void start_with_world(nic::AggregatorQuestion& question) {
  const Inside inside;
  const std::lock_guard lock(start_mutex);
  try {
    start_local();
    join_world();
    agree(question);
    process.hooks.before_finalize = finish_unseen;
    process.hooks.after_program = restore_world;
    process.observation.traffic = runtime.settings.record;
    process.observation.keeps_trace = runtime.settings.trace;
    process.observation.keeps_timeline = !runtime.settings.timeline.empty();
    process.observation.traces = process.observation.keeps_trace || process.observation.keeps_timeline;
    process.observation.messages = counts_messages(runtime.settings);
    register_predefined_communicators(true);
    process.observation.reports = wants_report(runtime.settings);
    begin_journal();
    process.observation.is_on = process.observation.is_wanted();
    runtime.ready = true;
    spare_children();
    log_warnings();
    if (process.observation.traces)
      begin_following();
    choose_way();
  } catch (const std::exception& error) {
    disable_interposer(error.what());
  }
}

void start_late() {
  const Inside inside;
  const std::lock_guard lock(start_mutex);
  if (runtime.ready) {
    return;
  }
  try {
    start_local();
    int initialized = 0;
    native.Initialized(&initialized);
    if (initialized != 0) {
      join_world();
    }
    register_predefined_communicators(false);
    process.observation.is_on = false; // nobody would gather it
    runtime.ready = true;
    log_warnings();
    choose_way();
  } catch (const std::exception& error) {
    disable_interposer(error.what());
  }
}

} // namespace thalweg::mpi

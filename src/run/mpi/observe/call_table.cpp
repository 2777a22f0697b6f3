// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/call_table.hpp"

#include "base/assertion.hpp"
#include "base/of_process.hpp"
#include "mpi/observe/locations.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <new>
#include <unwind.h>
#include <utility>

namespace thalweg::mpi::observe {

namespace {

bool is_binding(const void* address) {
  const std::string path = module_of(address).path;
  const std::string file = path.substr(path.rfind('/') + 1);
  for (const char* name : {"libmpi_mpifh", "libmpi_usempi", "libmpi_cxx", "libmpichfort", "libmpichcxx",
                           "libmpifort", "libmpicxx", "libmpi_mpichfort"}) {
    if (file.starts_with(name)) {
      return true;
    }
  }
  return false;
}

struct Search {
  const CallSite& site;
  bool inside_binding = false;
  std::ptrdiff_t distance = 0;
};

// The canonical frame address that a frame is visited with is its callee's: the return address lies right
// below it.
_Unwind_Reason_Code visit(_Unwind_Context* context, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  const auto* address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
  if (!search.inside_binding) {
    search.inside_binding = address == search.site.return_address;
    return _URC_NO_REASON;
  }
  if (is_binding(address)) {
    return _URC_NO_REASON;
  }
  const auto* slot = reinterpret_cast<const char*>(_Unwind_GetCFA(context)) - sizeof(void*);
  const void* stored = nullptr;
  std::memcpy(&stored, slot, sizeof stored);
  if (stored == address) {
    search.distance = slot - search.site.frame;
  }
  return _URC_NORMAL_STOP;
}

} // namespace

CachedCaller find_caller(const CallSite& site) {
  if (calls_for_python(module_of(site.return_address).path)) {
    return {site.return_address, CachedCaller::in_python};
  }
  if (!is_binding(site.return_address)) {
    return {site.return_address, 0};
  }
#if defined(__x86_64__)
  Search search{site};
  _Unwind_Backtrace(visit, &search);
  return {site.return_address, search.distance};
#else
  return {site.return_address, 0}; // return addresses are in registers there
#endif
}

const CachedCaller* remember_caller(const CallSite& site, std::size_t place) {
  CachedCaller* const places = &PerThread<CachedCallers>::own()[place];
  places[1] = places[0];
  places[0] = find_caller(site);
  return places;
}

namespace {

struct Tables {
  std::mutex mutex;
  std::vector<std::unique_ptr<CallTable>> tables;
};

Tables& tables() {
  return of_process<Tables>();
}

SliceTable* make_slices() {
  auto* const slices = new (JournalAllocator<SliceTable>().allocate(1)) SliceTable(ticks());
  if (JournalAllocator<SliceTable>::is_kept(slices))
    journal().add(*slices);
  return slices;
}

OwnedCallRow make_row(const CallKey& key, SliceTable* slices) {
  OwnedCallRow row(new (JournalAllocator<CallRow>().allocate(1)) CallRow);
  row->key = key;
  row->slices = slices;
  keep_python_place(key.site);
  if (JournalAllocator<CallRow>::is_kept(row.get())) {
    const Location location = locate(key.site);
    row->module = journal().keep(location.module);
    row->address = location.address;
    row->function = journal().keep(location.function);
    journal().add(*row);
  }
  return row;
}

} // namespace

namespace {

// A slow first call, which makes connections and pages, is forgotten as soon as any other long one.
constexpr std::uint64_t max_recent_in_brief = 64;

// Calls between two that are timed, never in step with a loop of the program's.
std::uint32_t next_gap(std::uint64_t calls_per_timed, std::uint64_t timed_calls, const void* site) {
  const std::uint64_t mean = calls_per_timed - 1;
  const std::uint64_t deviation = calls_per_timed / 4;
  const std::uint64_t drawn = mixed_hash(mixed_hash(1, reinterpret_cast<std::uintptr_t>(site)), timed_calls);
  return static_cast<std::uint32_t>(mean - deviation + drawn % (2 * deviation + 1));
}

} // namespace

void CallRow::took(std::uint64_t start_ticks, std::uint64_t stop_ticks) {
  const std::uint64_t weight = calls - counted_calls;
  const std::uint64_t taken = stop_ticks - start_ticks;
  counted_calls = calls;
  stood_ticks += taken * weight;
  const std::uint64_t noted = std::min(taken, max_recent_in_brief * brief_ticks());
  recent_ticks =
      timed_calls <= recent_calls ? recent_ticks + noted : recent_ticks - recent_ticks / recent_calls + noted;
  brief = timed_calls >= recent_calls && recent_ticks < recent_calls * brief_ticks();
  frequent_left = brief ? calls_before_frequent : frequent_left - (frequent_left > 0 ? 1 : 0);
  const std::uint64_t per_timed = calls_for_each_timed();
  untimed_left = per_timed > 1 ? next_gap(per_timed, timed_calls, key.site) : 0;
  counts.add_duration(taken, weight);
  if (slices != nullptr)
    slices->add(start_ticks, stop_ticks, weight, meets);
}

double CallRow::all_ticks() const {
  const bool is_under_way = entered_ticks > left_ticks;
  const std::uint64_t ended = calls - (is_under_way && calls > 0 ? 1 : 0);
  const double scale = counted_calls == 0 || ended < counted_calls
                           ? 1
                           : static_cast<double>(ended) / static_cast<double>(counted_calls);
  return static_cast<double>(stood_ticks) * scale;
}

void CallRow::ended_differently(const char* strategy, const char* reason) {
  THALWEG_ASSERT(light, strategy != nullptr);
  auto same = std::find_if(endings.begin(), endings.end(), [=](const Ending& ending) {
    return ending.strategy == strategy && ending.reason == reason;
  });
  if (same == endings.end()) {
    same = endings.insert(same, {strategy, reason, 0, journal().keep(strategy),
                                 reason == nullptr ? nullptr : journal().keep(reason)});
  }
  ++same->calls;
  std::iter_swap(endings.begin(), same);
}

void CallRowDeleter::operator()(CallRow* row) const {
  row->~CallRow();
  JournalAllocator<CallRow>().deallocate(row, 1);
}

CallTable::CallTable() : slots_(std::size_t{1} << (64 - shift_)) {}

CallRow& CallTable::find(const CallKey& key, std::size_t slot) {
  THALWEG_ASSERT(normal, slot < slots_.size() && rows_.size() * 2 <= slots_.size());
  const std::size_t mask = slots_.size() - 1;
  for (; slots_[slot] != nullptr; slot = (slot + 1) & mask) {
    if (slots_[slot]->key == key) {
      return *slots_[slot];
    }
  }
  if (slices_ == nullptr)
    slices_.reset(make_slices());
  rows_.push_back(make_row(key, slices_.get()));
  CallRow& row = *rows_.back();
  slots_[slot] = &row;
  if (rows_.size() * 2 > slots_.size()) {
    grow();
  }
  return row;
}

void CallTable::grow() {
  --shift_;
  slots_.assign(slots_.size() * 2, nullptr);
  for (const auto& row : rows_) {
    std::size_t slot = slot_of(row->key);
    while (slots_[slot] != nullptr) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = row.get();
  }
}

CallTable& make_call_table() {
  THALWEG_ASSERT(light, own_call_table == nullptr);
  auto table = std::make_unique<CallTable>();
  own_call_table = table.get();
  const std::lock_guard lock(tables().mutex);
  tables().tables.push_back(std::move(table));
  return *own_call_table;
}

std::vector<const CallTable*> all_call_tables() {
  std::vector<const CallTable*> result;
  const std::lock_guard lock(tables().mutex);
  for (const auto& table : tables().tables) {
    result.push_back(table.get());
  }
  return result;
}

} // namespace thalweg::mpi::observe

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/call_table.hpp"
#include "base/of_process.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include "mpi/observe/locations.hpp"
#include "mpi/observe/python_calls.hpp"

namespace thalweg::mpi::observe {

namespace {

struct Tables {
  std::mutex mutex;
  std::vector<std::unique_ptr<CallTable>> tables;
};

Tables& tables() {
  return of_process<Tables>();
}

OwnedCallRow make_row(const CallKey& key) {
  OwnedCallRow row(new (JournalAllocator<CallRow>().allocate(1)) CallRow);
  row->key = key;
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

void CallRow::ended_differently(const char* strategy, const char* reason) {
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
  const std::size_t mask = slots_.size() - 1;
  for (; slots_[slot] != nullptr; slot = (slot + 1) & mask) {
    if (slots_[slot]->key == key) {
      return *slots_[slot];
    }
  }
  rows_.push_back(make_row(key));
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

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The shortest way of calls that are only counted, or not even that: messages, and waits for requests. The
// entry points take it before anything else, and without a frame on the stack, as the shortest calls of a
// library take no longer than a few looks.
//
// Each thread remembers the places that such calls come from, with the row of the report that counts them. A
// place is forgotten with the word that it was remembered under (state/passage.hpp). Calls that are to be
// timed go the long way (call_observer.hpp), which remembers their places.

#include "base/of_process.hpp"
#include "mpi/abi/looks.hpp"
#include "mpi/abi/native.hpp"
#include "mpi/entry/followed_requests.hpp"
#include "mpi/observe/call_table.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace thalweg::mpi {

struct alignas(64) CountedPlace {
  static constexpr MPI_Count no_count = -1; ///< of no call that is counted here

  std::uint64_t tag = 0;     ///< place_tag() of the return address
  std::uint64_t passage = 0; ///< no word of a time when calls are counted
  MPI_Comm comm{};
  MPI_Datatype datatype{};            ///< of the calls' payload: a predefined one, whose size is for good
  std::uint64_t unit = 0;             ///< the bytes of an element
  MPI_Count count = no_count;         ///< of the latest call
  observe::SizeCount* size = nullptr; ///< counts payloads like its
  observe::CallRow* row = nullptr;

  void count_payload(MPI_Count elements) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * unit;
    if (count != elements) [[unlikely]] {
      count = elements;
      size = &row->counts.size_of(bytes);
    }
    size->add(bytes);
  }
};

inline constexpr unsigned counted_places_bits = 7;
using CountedPlaces = std::array<CountedPlace, std::size_t{1} << counted_places_bits>;

/// A program may call several functions from one place, by a pointer.
constexpr std::uint64_t place_tag(const void* return_address, Function function) {
  return reinterpret_cast<std::uint64_t>(return_address) ^ static_cast<std::uint64_t>(function) << 48U;
}

inline std::size_t counted_place(const void* return_address, MPI_Comm comm) {
  const auto low = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(return_address)) +
                   static_cast<std::uint32_t>((std::uintptr_t)(comm));
  return low * 0x9E3779B1U >> (32U - counted_places_bits);
}

/// A call of the row went the long way, and the next ones need not be timed. `datatype`: of its payload,
/// where it has one.
void remember_counted(Function function, const CallSite& site, MPI_Comm comm, MPI_Datatype datatype,
                      observe::CallRow& row);

/// The place, if calls from it are counted and this one is not to be timed.
[[gnu::always_inline]] inline CountedPlace* find_counted(std::uint64_t passage, Function function,
                                                         const void* return_address, MPI_Comm comm) {
  const CountedPlace& place = PerThread<CountedPlaces>::here()[counted_place(return_address, comm)];
  const bool is_known = place.passage == passage && place.tag == place_tag(return_address, function) &&
                        place.comm == comm && this_thread.innermost_frame == nullptr &&
                        place.row->untimed_left != 0;
  return is_known ? const_cast<CountedPlace*>(&place) : nullptr;
}

/// Does the function look without waiting? A program that looks in vain is to yield where waits do.
constexpr bool looks_only(Function function) {
  switch (function) {
  case Function::Test:
  case Function::Testall:
  case Function::Testany:
  case Function::Testsome:
  case Function::Request_get_status:
  case Function::Iprobe:
  case Function::Improbe:
    return true;
  default:
    return false;
  }
}

[[gnu::always_inline]] inline bool is_unobserved(std::uint64_t passage, Function function) {
  return Passage::is(passage, Way::straight) && !(looks_only(function) && runtime.wait.yields);
}

/// Is the call the library's at once? It is counted then, where calls are. A call with a payload.
[[gnu::always_inline]] inline bool goes_straight(Function function, const void* return_address, MPI_Comm comm,
                                                 MPI_Count count, MPI_Datatype datatype) {
  const std::uint64_t passage = process.passage.now();
  if (is_unobserved(passage, function)) {
    ++looks_begun;
    return true;
  }
  CountedPlace* const place = find_counted(passage, function, return_address, comm);
  if (place == nullptr || place->datatype != datatype || count < 0)
    return false;
  place->count_payload(count);
  place->row->count();
  ++looks_begun;
  return true;
}

/// The same of a call without a payload.
[[gnu::always_inline]] inline bool goes_straight(Function function, const void* return_address,
                                                 MPI_Comm comm) {
  const std::uint64_t passage = process.passage.now();
  if (is_unobserved(passage, function)) {
    ++looks_begun;
    return true;
  }
  CountedPlace* const place = find_counted(passage, function, return_address, comm);
  if (place == nullptr)
    return false;
  place->size->add(0);
  place->row->count();
  ++looks_begun;
  return true;
}

/// Requests that calls of the function treat on their own.
[[gnu::always_inline]] inline const std::atomic<int>& special_requests_of(Function function) {
  return function == Function::Start || function == Function::Startall ? process.counts.persistent_handles
                                                                       : process.counts.special_requests;
}

/// Of a call that completes requests, or starts them. None of them may be one that is treated on its own, or
/// followed to its end.
[[gnu::always_inline]] inline bool goes_straight_with_requests(Function function,
                                                               const void* return_address) {
  return special_requests_of(function).load(std::memory_order_relaxed) == 0 &&
         PerThread<FollowedRequests>::here().used == 0 && goes_straight(function, return_address, MPI_Comm{});
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// Teams for C++: thalweg/team.h describes the calls. Failures throw thalweg::error.
//
//   thalweg::team all(MPI_COMM_WORLD);
//   thalweg::symmetric_memory<double> vector = all.allocate<double>(n);
//   all.broadcast(vector.span(), 0, thalweg::loose);
//   thalweg::request sum = all.start().allreduce(mine, total, MPI_SUM);
//   ...
//   sum.wait();

#include "thalweg/error.hpp"
#include "thalweg/request.hpp"
#include "thalweg/team.h"
#include "thalweg/team_call.hpp"
#include "thalweg/team_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace thalweg {

namespace detail {

/// The collectives, each written once: those of a team wait, those of team::start() give a request. Spans
/// hold a unit, or one for each rank where thalweg/team.h says so; they may be empty where a rank has nothing
/// to give or get. `Caller` has issue(), which makes the call. All are inlined, so that each call of the
/// program has a place of its own in reports.
template <typename Caller>
class collectives : public memory_calls<Caller> {
  template <typename T>
  using input = std::span<const std::type_identity_t<T>>; ///< anything that converts to a span will do
  using synchronized = call_synchronization;
  using site = std::source_location;

public:
  using memory_calls<Caller>::rank;
  using memory_calls<Caller>::size;

  template <typename T>
  [[gnu::always_inline]] auto broadcast(std::span<T> data, int root, synchronized when = {},
                                        site from = site::current()) {
    const team_site at{collective::broadcast, "broadcast", rank(), when, from};
    return make(moving<T>(at, {{}, 0, data, 1, data.size()}, root));
  }
  template <typename T>
  [[gnu::always_inline]] auto scatter(input<T> all, std::span<T> mine, int root, synchronized when = {},
                                      site from = site::current()) {
    const team_site at{collective::scatter, "scatter", rank(), when, from};
    return make(moving<T>(at, {all, ranks(), mine, 1, mine.size()}, root));
  }
  template <typename T>
  [[gnu::always_inline]] auto gather(input<T> mine, std::span<T> all, int root, synchronized when = {},
                                     site from = site::current()) {
    const team_site at{collective::gather, "gather", rank(), when, from};
    return make(moving<T>(at, {mine, 1, all, ranks(), mine.size()}, root));
  }
  template <typename T>
  [[gnu::always_inline]] auto allgather(input<T> mine, std::span<T> all, synchronized when = {},
                                        site from = site::current()) {
    const team_site at{collective::allgather, "allgather", rank(), when, from};
    return make(moving<T>(at, {mine, 1, all, ranks(), mine.size()}, 0));
  }
  template <typename T>
  [[gnu::always_inline]] auto alltoall(input<T> out, std::span<T> in, synchronized when = {},
                                       site from = site::current()) {
    const team_site at{collective::alltoall, "alltoall", rank(), when, from};
    return make(moving<T>(at, {out, ranks(), in, ranks(), unit(at, in.size())}, 0));
  }
  template <typename T>
  [[gnu::always_inline]] auto reduce(input<T> in, std::span<T> out, int root, MPI_Op op,
                                     synchronized when = {}, site from = site::current()) {
    const team_site at{collective::reduce, "reduce", rank(), when, from};
    return make(combining<T>(at, {in, 1, out, 1, in.size()}, root, op));
  }
  template <typename T>
  [[gnu::always_inline]] auto allreduce(input<T> in, std::span<T> out, MPI_Op op, synchronized when = {},
                                        site from = site::current()) {
    const team_site at{collective::allreduce, "allreduce", rank(), when, from};
    return make(combining<T>(at, {in, 1, out, 1, in.size()}, 0, op));
  }
  template <typename T>
  [[gnu::always_inline]] auto scan(input<T> in, std::span<T> out, MPI_Op op, synchronized when = {},
                                   site from = site::current()) {
    const team_site at{collective::scan, "scan", rank(), when, from};
    return make(combining<T>(at, {in, 1, out, 1, in.size()}, 0, op));
  }
  template <typename T>
  [[gnu::always_inline]] auto exscan(input<T> in, std::span<T> out, MPI_Op op, synchronized when = {},
                                     site from = site::current()) {
    const team_site at{collective::exscan, "exscan", rank(), when, from};
    return make(combining<T>(at, {in, 1, out, 1, in.size()}, 0, op));
  }
  template <typename T>
  [[gnu::always_inline]] auto reduce_scatter(input<T> all, std::span<T> mine, MPI_Op op,
                                             synchronized when = {}, site from = site::current()) {
    const team_site at{collective::reduce_scatter, "reduce_scatter", rank(), when, from};
    return make(combining<T>(at, {all, ranks(), mine, 1, mine.size()}, 0, op));
  }

protected:
  explicit collectives(thalweg_team* of) : memory_calls<Caller>(of) {}

  using memory_calls<Caller>::team_;

private:
  std::size_t ranks() const { return static_cast<std::size_t>(size()); }
  std::size_t unit(const team_site& at, std::size_t all) const {
    if (team_ == nullptr)
      return all; // the library refuses the call
    if (all % ranks() != 0)
      at.refuse(std::to_string(all) + " elements are no whole number of units for " + std::to_string(size()) +
                    " ranks",
                "give as many elements for each rank");
    return all / ranks();
  }
  [[gnu::always_inline]] auto make(const thalweg_team_call& call) {
    return static_cast<Caller*>(this)->issue(call);
  }
};

} // namespace detail

/// Starts a team's collectives, and gives a request for each.
class team_starter : public detail::collectives<team_starter> {
public:
  /// A barrier that has begun.
  [[gnu::always_inline]] request barrier() {
    thalweg_request* started = nullptr;
    detail::check(thalweg_team_barrier(team_, &started));
    return request(started);
  }

private:
  friend class team;
  friend class detail::collectives<team_starter>;
  friend class detail::memory_calls<team_starter>;

  explicit team_starter(thalweg_team* of) : collectives(of) {}
  [[gnu::always_inline]] request issue(const thalweg_team_call& call) {
    thalweg_request* started = nullptr;
    detail::check(thalweg_team_start(team_, &call, &started));
    return request(started);
  }
  template <typename Given>
  [[gnu::always_inline]] request
  issue(thalweg_status (*function)(thalweg_team*, const Given*, thalweg_request**), const Given& given) {
    thalweg_request* started = nullptr;
    detail::check(function(team_, &given, &started));
    return request(started);
  }
};

/// The ranks of a communicator, with collectives on symmetric memory: thalweg/team.h describes all calls.
class team : public detail::collectives<team> {
public:
  /// No team: a rank that is not in it has one of these.
  team() : collectives(nullptr) {}
  /// Collective. The communicator is duplicated, and may be freed.
  explicit team(MPI_Comm communicator) : team() { detail::check(thalweg_team_create(communicator, &team_)); }
  team(team&& other) noexcept : collectives(std::exchange(other.team_, nullptr)) {}
  team& operator=(team&& other) noexcept {
    std::swap(team_, other.team_);
    return *this;
  }
  /// Collective, as free() is, which tells of failures: here they are lost. After MPI_Finalize() it does
  /// nothing.
  ~team() { thalweg_team_free(&team_); }
  /// Collective. Waits for operations that were started, and ends the team with its memory; the object is no
  /// team afterwards.
  void free() { detail::check(thalweg_team_free(&team_)); }

  /// Is this rank in it?
  explicit operator bool() const { return team_ != nullptr; }
  /// The strategies that run from now on, as in thalweg_team_use().
  void use(const char* selections) { detail::check(thalweg_team_use(team_, selections)); }
  /// Which strategy runs for units of so many bytes, and who chose it.
  std::string strategy(collective of, std::size_t unit_bytes) const {
    const char* text = nullptr;
    detail::check(thalweg_team_strategy(team_, static_cast<thalweg_collective>(of), unit_bytes, &text));
    return text;
  }

  /// Collective. One team for each color, its ranks by key; no team for a negative color.
  team split(int color, int key = 0) const {
    team part;
    detail::check(thalweg_team_split(team_, color, key, &part.team_));
    return part;
  }
  /// Collective. The ranks that are listed, in that order; no team on the others.
  team subset(std::span<const int> ranks) const {
    team part;
    detail::check(thalweg_team_subset(team_, static_cast<int>(ranks.size()), ranks.data(), &part.team_));
    return part;
  }
  /// The ranks that own blocks of a distributed array, `owners[b]` that of block b.
  team of_blocks(std::span<const int> owners) const {
    team part;
    detail::check(thalweg_team_of_blocks(team_, owners.size(), owners.data(), &part.team_));
    return part;
  }
  /// The ranks in rows of `columns`: this rank's row, and this rank's column.
  team row(int columns) const { return split(rank() / columns, rank()); }
  /// Collective. This rank's column, of ranks in rows of `columns`.
  team column(int columns) const { return split(rank() % columns, rank()); }

  /// Collective. So many elements on every rank, zeros.
  template <typename T>
  symmetric_memory<T> allocate(std::size_t n) {
    void* data = nullptr;
    detail::check(thalweg_team_allocate(team_, n * sizeof(T), &data));
    return {team_, static_cast<T*>(data), n};
  }
  /// Collective. Gives the memory back.
  template <typename T>
  void release(symmetric_memory<T>& released) {
    detail::check(thalweg_team_release(team_, released.data()));
    released = {};
  }

  /// The same collectives, which return at once: team.start().allreduce(mine, total, MPI_SUM).
  team_starter start() { return team_starter(team_); }
  /// Collective. Waits until all ranks have come.
  [[gnu::always_inline]] void barrier() { detail::check(thalweg_team_barrier(team_, nullptr)); }
  /// Collective. Ends loose calls: thalweg_team_complete().
  void complete() { detail::check(thalweg_team_complete(team_)); }

  /// Waits until a word of this rank's meets the condition, and gives the word as it was then.
  std::uint64_t wait(const symmetric_memory<std::uint64_t>& words, std::size_t index, condition until,
                     std::uint64_t value) {
    std::uint64_t found = 0;
    detail::check(
        thalweg_team_wait(team_, words.data() + index, static_cast<thalweg_condition>(until), value, &found));
    return found;
  }
  /// Puts and atomic operations after it land later at their rank than those before it do.
  void fence() { detail::check(thalweg_team_fence(team_)); }
  /// Waits until all puts and atomic operations have landed, and all gets have finished.
  void quiet() { detail::check(thalweg_team_quiet(team_)); }
  /// Takes in the puts of others, without waiting.
  void progress() { detail::check(thalweg_team_progress(team_)); }

  /// Collective, before the first message.
  void open_inboxes() { detail::check(thalweg_team_open_inboxes(team_)); }
  /// Who matches messages: the devices, or the library and why.
  std::string inboxes() const {
    const char* text = nullptr;
    detail::check(thalweg_team_inboxes(team_, &text));
    return text;
  }
  /// Sends a message to a rank, once inboxes are open.
  template <typename T>
  void send(std::span<const T> message, int to, int tag) {
    static_assert(std::is_trivially_copyable_v<T>, "teams move bytes: elements must be trivially copyable");
    detail::check(thalweg_team_send(team_, to, tag, message.data(), message.size_bytes()));
  }
  /// Waits for a message; a longer one than there is room for is lost, and an error.
  template <typename T>
  thalweg_received receive(std::span<T> message, int from = thalweg_any, int tag = thalweg_any) {
    static_assert(std::is_trivially_copyable_v<T>, "teams move bytes: elements must be trivially copyable");
    thalweg_received received{};
    detail::check(thalweg_team_receive(team_, from, tag, message.data(), message.size_bytes(), &received));
    return received;
  }

  using collectives::allreduce;
  /// One number of each rank, combined.
  template <typename T>
  requires std::is_arithmetic_v<T>
  [[gnu::always_inline]] T allreduce(T mine, MPI_Op op, call_synchronization when = {},
                                     std::source_location from = std::source_location::current()) {
    T total{};
    allreduce(std::span<const T>(&mine, 1), std::span<T>(&total, 1), op, {when.before, synchronization::mine},
              from);
    return total;
  }

private:
  friend class detail::collectives<team>;
  friend class detail::memory_calls<team>;

  [[gnu::always_inline]] void issue(const thalweg_team_call& call) {
    detail::check(thalweg_team_start(team_, &call, nullptr));
  }
  template <typename Given>
  [[gnu::always_inline]] void
  issue(thalweg_status (*function)(thalweg_team*, const Given*, thalweg_request**), const Given& given) {
    detail::check(function(team_, &given, nullptr));
  }
};

} // namespace thalweg

#pragma once

// Teams for C++: thalweg/team.h says what the calls do. Failures throw thalweg::team_error.
//
//   thalweg::team all(MPI_COMM_WORLD);
//   thalweg::memory<double> vector = all.allocate<double>(n);
//   all.broadcast(vector.span(), 0, thalweg::loose);
//   thalweg::request sum = all.start_reduce_all(mine, total, MPI_SUM);
//   ...
//   sum.wait();

#include "thalweg/team.h"

#include <cstdint>
#include <source_location>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

class team_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

enum class sync {
  none = thalweg_sync_none,
  mine = thalweg_sync_mine,
  all = thalweg_sync_all,
};

/// What a call waits for before it touches buffers, and before it ends.
struct synchronization {
  sync before = sync::mine;
  sync after = sync::mine;
};
/// Ordered globally, as if barriers stood around the call.
inline constexpr synchronization strict{sync::all, sync::all};
/// Data moves as soon as it can; a later barrier orders.
inline constexpr synchronization loose{sync::none, sync::none};

namespace detail {

inline void check(int status) {
  if (status != 0)
    throw team_error(thalweg_team_error());
}

/// MPI's type for a number; other types move as bytes and cannot be combined.
template <typename T>
MPI_Datatype number_type() {
  if constexpr (std::is_same_v<T, float>)
    return MPI_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return MPI_DOUBLE;
  else if constexpr (std::is_same_v<T, long double>)
    return MPI_LONG_DOUBLE;
  else if constexpr (std::is_same_v<T, bool>)
    return MPI_CXX_BOOL;
  else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>)
    return sizeof(T) == 1   ? MPI_INT8_T
           : sizeof(T) == 2 ? MPI_INT16_T
           : sizeof(T) == 4 ? MPI_INT32_T
                            : MPI_INT64_T;
  else if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 1   ? MPI_UINT8_T
           : sizeof(T) == 2 ? MPI_UINT16_T
           : sizeof(T) == 4 ? MPI_UINT32_T
                            : MPI_UINT64_T;
  else
    static_assert(std::is_arithmetic_v<T>, "reductions combine numbers");
}

} // namespace detail

/// A collective under way. Waits for it when it is destroyed.
class request {
public:
  request() = default;
  explicit request(thalweg_request* started) : request_(started) {}
  request(request&& other) noexcept : request_(std::exchange(other.request_, nullptr)) {}
  request& operator=(request&& other) noexcept {
    std::swap(request_, other.request_);
    return *this;
  }
  ~request() { thalweg_request_wait(&request_); }

  /// Has it finished? Makes progress, does not wait.
  bool test() {
    int finished = 0;
    detail::check(thalweg_request_test(&request_, &finished));
    return finished != 0;
  }
  void wait() { detail::check(thalweg_request_wait(&request_)); }

private:
  thalweg_request* request_ = nullptr;
};

/// Waits for all of them.
template <typename... Requests>
void when_all(Requests&... requests) {
  (requests.wait(), ...);
}
inline void when_all(std::span<request> requests) {
  for (request& one : requests)
    one.wait();
}

/// Symmetric memory: as many elements on every rank of a team, which has to live longer.
template <typename T>
class memory {
  static_assert(std::is_trivially_copyable_v<T>);

public:
  memory() = default;
  memory(const thalweg_team* of, T* data, std::size_t size) : team_(of), data_(data), size_(size) {}

  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::span<T> span() const { return {data_, size_}; }
  T& operator[](std::size_t index) const { return data_[index]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }
  /// Another rank's, or nullptr where it is on another node.
  T* at(int rank) const { return static_cast<T*>(thalweg_team_reach(team_, data_, rank)); }

private:
  const thalweg_team* team_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

class team {
  using site = std::source_location;

public:
  /// No team: a rank that is not in it has one of these.
  team() = default;
  explicit team(MPI_Comm communicator) { detail::check(thalweg_team_create(communicator, &team_)); }
  team(team&& other) noexcept : team_(std::exchange(other.team_, nullptr)) {}
  team& operator=(team&& other) noexcept {
    std::swap(team_, other.team_);
    return *this;
  }
  ~team() { thalweg_team_free(&team_); }

  explicit operator bool() const { return team_ != nullptr; }
  int rank() const { return thalweg_team_rank(team_); }
  int size() const { return thalweg_team_size(team_); }
  void use(const char* selections) { detail::check(thalweg_team_use(team_, selections)); }
  /// Which strategy runs for units of so many bytes, and who chose it.
  std::string strategy(thalweg_collective collective, std::size_t bytes) const {
    const char* const text = thalweg_team_strategy(team_, collective, bytes);
    detail::check(text == nullptr ? -1 : 0);
    return text;
  }

  team split(int color, int key = 0) const {
    team part;
    detail::check(thalweg_team_split(team_, color, key, &part.team_));
    return part;
  }
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
  team column(int columns) const { return split(rank() % columns, rank()); }

  template <typename T>
  memory<T> allocate(std::size_t n) {
    void* data = nullptr;
    detail::check(thalweg_team_allocate(team_, n * sizeof(T), &data));
    return {team_, static_cast<T*>(data), n};
  }
  template <typename T>
  void release(memory<T>& released) {
    detail::check(thalweg_team_release(team_, released.data()));
    released = {};
  }

  void barrier() { detail::check(thalweg_team_barrier(team_, nullptr)); }
  request start_barrier() {
    thalweg_request* started = nullptr;
    detail::check(thalweg_team_barrier(team_, &started));
    return request(started);
  }
  void complete() { detail::check(thalweg_team_complete(team_)); }

  // Each collective waits, and has a sibling that starts it. Spans hold a unit, or one for each rank where
  // thalweg/team.h says so; they may be empty where a rank has nothing to give or get.

  template <typename T>
  void broadcast(std::span<T> data, int root, synchronization when = {}, site from = site::current()) {
    run(moved(thalweg_team_broadcast, data.data(), data.data(), data.size(), sizeof(T), root, when, from));
  }
  template <typename T>
  request start_broadcast(std::span<T> data, int root, synchronization when = {},
                          site from = site::current()) {
    return start(
        moved(thalweg_team_broadcast, data.data(), data.data(), data.size(), sizeof(T), root, when, from));
  }

  template <typename T>
  void scatter(std::span<const T> all, std::span<T> mine, int root, synchronization when = {},
               site from = site::current()) {
    run(moved(thalweg_team_scatter, all.data(), mine.data(), mine.size(), sizeof(T), root, when, from));
  }
  template <typename T>
  request start_scatter(std::span<const T> all, std::span<T> mine, int root, synchronization when = {},
                        site from = site::current()) {
    return start(
        moved(thalweg_team_scatter, all.data(), mine.data(), mine.size(), sizeof(T), root, when, from));
  }

  template <typename T>
  void gather(std::span<const T> mine, std::span<T> all, int root, synchronization when = {},
              site from = site::current()) {
    run(moved(thalweg_team_gather, mine.data(), all.data(), mine.size(), sizeof(T), root, when, from));
  }
  template <typename T>
  request start_gather(std::span<const T> mine, std::span<T> all, int root, synchronization when = {},
                       site from = site::current()) {
    return start(
        moved(thalweg_team_gather, mine.data(), all.data(), mine.size(), sizeof(T), root, when, from));
  }

  template <typename T>
  void gather_all(std::span<const T> mine, std::span<T> all, synchronization when = {},
                  site from = site::current()) {
    run(moved(thalweg_team_gather_all, mine.data(), all.data(), mine.size(), sizeof(T), 0, when, from));
  }
  template <typename T>
  request start_gather_all(std::span<const T> mine, std::span<T> all, synchronization when = {},
                           site from = site::current()) {
    return start(
        moved(thalweg_team_gather_all, mine.data(), all.data(), mine.size(), sizeof(T), 0, when, from));
  }

  template <typename T>
  void exchange(std::span<const T> out, std::span<T> in, synchronization when = {},
                site from = site::current()) {
    run(moved(thalweg_team_exchange, out.data(), in.data(), unit(in), sizeof(T), 0, when, from));
  }
  template <typename T>
  request start_exchange(std::span<const T> out, std::span<T> in, synchronization when = {},
                         site from = site::current()) {
    return start(moved(thalweg_team_exchange, out.data(), in.data(), unit(in), sizeof(T), 0, when, from));
  }

  template <typename T>
  void reduce(std::span<const T> in, std::span<T> out, int root, MPI_Op op, synchronization when = {},
              site from = site::current()) {
    run(combined<T>(thalweg_team_reduce, in.data(), out.data(), in.size(), op, root, when, from));
  }
  template <typename T>
  request start_reduce(std::span<const T> in, std::span<T> out, int root, MPI_Op op,
                       synchronization when = {}, site from = site::current()) {
    return start(combined<T>(thalweg_team_reduce, in.data(), out.data(), in.size(), op, root, when, from));
  }

  template <typename T>
  void reduce_all(std::span<const T> in, std::span<T> out, MPI_Op op, synchronization when = {},
                  site from = site::current()) {
    run(combined<T>(thalweg_team_reduce_all, in.data(), out.data(), in.size(), op, 0, when, from));
  }
  template <typename T>
  request start_reduce_all(std::span<const T> in, std::span<T> out, MPI_Op op, synchronization when = {},
                           site from = site::current()) {
    return start(combined<T>(thalweg_team_reduce_all, in.data(), out.data(), in.size(), op, 0, when, from));
  }
  /// One number of each rank, combined.
  template <typename T>
  requires std::is_arithmetic_v<T> T reduce_all(T mine, MPI_Op op, synchronization when = {},
                                                site from = site::current()) {
    T total{};
    reduce_all(std::span<const T>(&mine, 1), std::span<T>(&total, 1), op, {when.before, sync::mine}, from);
    return total;
  }

  template <typename T>
  void scan(std::span<const T> in, std::span<T> out, MPI_Op op, synchronization when = {},
            site from = site::current()) {
    run(combined<T>(thalweg_team_scan, in.data(), out.data(), in.size(), op, 0, when, from));
  }
  template <typename T>
  request start_scan(std::span<const T> in, std::span<T> out, MPI_Op op, synchronization when = {},
                     site from = site::current()) {
    return start(combined<T>(thalweg_team_scan, in.data(), out.data(), in.size(), op, 0, when, from));
  }

private:
  template <typename T>
  std::size_t unit(std::span<T> all) const {
    if (all.size() % static_cast<std::size_t>(size()) != 0)
      throw team_error("exchange: the span is no whole number of units for " + std::to_string(size()) +
                       " ranks; give as many elements for each rank");
    return all.size() / static_cast<std::size_t>(size());
  }

  static thalweg_team_call moved(thalweg_collective what, const void* in, void* out, std::size_t count,
                                 std::size_t element, int root, synchronization when, const site& from) {
    static_assert(sizeof(char) == 1);
    return {what,
            in,
            out,
            count * element,
            MPI_BYTE,
            MPI_OP_NULL,
            root,
            static_cast<thalweg_sync>(when.before),
            static_cast<thalweg_sync>(when.after),
            from.file_name(),
            static_cast<int>(from.line())};
  }
  template <typename T>
  static thalweg_team_call combined(thalweg_collective what, const void* in, void* out, std::size_t count,
                                    MPI_Op op, int root, synchronization when, const site& from) {
    thalweg_team_call call = moved(what, in, out, count, 1, root, when, from);
    call.type = detail::number_type<T>();
    call.op = op;
    return call;
  }
  void run(const thalweg_team_call& call) { detail::check(thalweg_team_start(team_, &call, nullptr)); }
  request start(const thalweg_team_call& call) {
    thalweg_request* started = nullptr;
    detail::check(thalweg_team_start(team_, &call, &started));
    return request(started);
  }

  thalweg_team* team_ = nullptr;
};

} // namespace thalweg

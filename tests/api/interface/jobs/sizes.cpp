// SPDX-License-Identifier: BSD-3-Clause

// Programs of other versions know more of structures, or less: nothing behind what they know is touched. Each
// structure ends here before memory that nobody may touch, or with bytes that have to stay.

#include "balancer/structures.hpp"
#include "checks.hpp"
#include "objects/mpi/structures.hpp"
#include "placer/structures.hpp"
#include "stream/mpi/structures.hpp"
#include "team/structures.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

using checks::require;
using thalweg::boundary::Known;

namespace {

constexpr unsigned char unknown = 0x5a; // of bytes that the library may neither read nor write

/// The first bytes of a structure, as a shorter one. Behind them a page begins that nobody may touch.
class Prefix {
public:
  Prefix(const void* whole, std::size_t bytes) : bytes_(bytes) {
    pages_ = static_cast<unsigned char*>(
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    require(pages_ != MAP_FAILED && mprotect(pages_ + page, page, PROT_NONE) == 0, "%s", "no memory");
    std::memset(pages_, unknown, page);
    std::memcpy(at(), whole, bytes);
    std::memcpy(at(), &bytes, sizeof bytes);
  }
  ~Prefix() { munmap(pages_, 2 * page); }
  Prefix(const Prefix&) = delete;
  Prefix& operator=(const Prefix&) = delete;

  unsigned char* at() const { return pages_ + page - (bytes_ + 7) / 8 * 8; }
  bool others_are_untouched() const {
    const auto is_other = [](unsigned char byte) { return byte == unknown; };
    return std::all_of(pages_, at(), is_other) && std::all_of(at() + bytes_, pages_ + page, is_other);
  }
  std::size_t size() const {
    std::size_t size = 0;
    std::memcpy(&size, at(), sizeof size);
    return size;
  }

private:
  static constexpr std::size_t page = 4096;
  std::size_t bytes_;
  unsigned char* pages_;
};

/// Calls with a structure of each earlier version. Those that end before `needed` may be refused.
template <typename Structure, typename Call>
void every_prefix(const Structure& whole, std::size_t needed, Call call) {
  for (const std::size_t end : Known<Structure>::ends) {
    const Prefix prefix(&whole, end);
    const thalweg_status status = call(reinterpret_cast<Structure*>(prefix.at()));
    require(status == thalweg_success || (end < needed && status == thalweg_error_invalid_argument),
            "%s of %zu bytes: %s", Known<Structure>::name, end, thalweg_error_message());
    require(prefix.others_are_untouched(), "%s of %zu bytes: others are written", Known<Structure>::name,
            end);
  }
}

template <typename Structure>
struct Longer {
  Structure known;
  unsigned char more[24]{};
};

/// What a program fills in.
template <typename Structure, typename Call>
void check_input(const Structure& whole, Call call, std::size_t needed = 0) {
  every_prefix(whole, needed, call);
  Longer<Structure> later{whole};
  later.known.size = sizeof later;
  require(call(&later.known) == thalweg_success, "%s with zeros: %s", Known<Structure>::name,
          thalweg_error_message());
  later.more[23] = 1;
  require(call(&later.known) == thalweg_error_unsupported, "a later %s is taken", Known<Structure>::name);
  require(std::strstr(thalweg_error_message(), "later version") != nullptr, "%s", thalweg_error_message());
  later.known.size = 0;
  require(call(&later.known) == thalweg_error_invalid_argument, "a %s of no size", Known<Structure>::name);
  require(std::strstr(thalweg_error_message(), Known<Structure>::initializer) != nullptr, "%s",
          thalweg_error_message());
}

/// What the library fills in.
template <typename Structure, typename Call>
void check_output(Call call) {
  every_prefix(Structure{}, 0, call);
  Longer<Structure> later{};
  later.known.size = sizeof later;
  std::memset(later.more, unknown, sizeof later.more);
  require(call(&later.known) == thalweg_success, "%s", thalweg_error_message());
  require(later.known.size == sizeof(Structure), "%s: %zu bytes are written", Known<Structure>::name,
          later.known.size);
  require(std::ranges::all_of(later.more, [](unsigned char byte) { return byte == unknown; }),
          "%s: more is written than there is", Known<Structure>::name);
  later.known.size = 0;
  require(call(&later.known) == thalweg_error_invalid_argument, "a %s of no size", Known<Structure>::name);
}

void must(thalweg_status status) {
  require(status == thalweg_success, "%s", thalweg_error_message());
}

void check_team() {
  thalweg_team* team = nullptr;
  must(thalweg_team_create(MPI_COMM_WORLD, &team));
  const int rank = thalweg_team_rank(team);
  int number = rank == 0 ? 42 : 0;
  thalweg_team_call call{.output = &number, .count = 1, .type = MPI_INT};
  check_input(call, [&](const thalweg_team_call* given) { return thalweg_team_start(team, given, nullptr); });
  require(number == 42, "%d", number);
  must(thalweg_team_open_inboxes(team));
  check_output<thalweg_received>([&](thalweg_received* received) {
    int got = 0;
    must(thalweg_team_send(team, rank, 3, &number, sizeof number));
    const thalweg_status status = thalweg_team_receive(team, rank, 3, &got, sizeof got, received);
    if (status != thalweg_success) // it was refused before it has received
      must(thalweg_team_receive(team, rank, 3, &got, sizeof got, nullptr));
    return status;
  });
  must(thalweg_team_free(&team));
  require(thalweg_team_create_for(THALWEG_HEADER_VERSION + 1, MPI_COMM_WORLD, &team) ==
              thalweg_error_unsupported,
          "%s", "later headers are taken");
  require(team == nullptr, "%s", "a team was made");
}

int deliver(void*, const char*, std::size_t) {
  return 0;
}

void check_stream() {
  thalweg_stream* stream = nullptr;
  const thalweg_stream_options whole{.item_bytes = 8};
  const thalweg_stream_handler functions{.deliver = deliver};
  const auto with = [&](const thalweg_stream_options* options, const thalweg_stream_handler* handler) {
    const thalweg_status status = thalweg_stream_create(MPI_COMM_WORLD, options, handler, &stream);
    if (status == thalweg_success)
      must(thalweg_stream_free(&stream));
    return status;
  };
  check_input(whole, [&](const thalweg_stream_options* given) { return with(given, &functions); });
  check_input(
      functions, [&](const thalweg_stream_handler* given) { return with(&whole, given); },
      offsetof(thalweg_stream_handler, forward));
  must(thalweg_stream_create(MPI_COMM_WORLD, &whole, &functions, &stream));
  check_output<thalweg_stream_statistics>(
      [&](thalweg_stream_statistics* done) { return thalweg_stream_read_statistics(stream, done); });
  must(thalweg_stream_free(&stream));
}

void check_balance() {
  thalweg_balancer* balancer = nullptr;
  check_input(thalweg_balancer_options{}, [&](const thalweg_balancer_options* given) {
    const thalweg_status status = thalweg_balancer_create(MPI_COMM_WORLD, given, &balancer);
    if (status == thalweg_success)
      must(thalweg_balancer_free(&balancer));
    return status;
  });
  must(thalweg_balancer_create(MPI_COMM_WORLD, nullptr, &balancer));
  const double row[] = {1, 2, 3};
  const thalweg_tasks tasks{.count = 3, .tasks = row, .task_bytes = sizeof *row};
  thalweg_moved moved;
  check_input(
      tasks,
      [&](const thalweg_tasks* given) { return thalweg_balance_tasks(balancer, given, nullptr, &moved); },
      offsetof(thalweg_tasks, weights));
  check_input(thalweg_balance_options{}, [&](const thalweg_balance_options* given) {
    return thalweg_balance_tasks(balancer, &tasks, given, &moved);
  });
  check_output<thalweg_moved>(
      [&](thalweg_moved* given) { return thalweg_balance_tasks(balancer, &tasks, nullptr, given); });
  check_output<thalweg_moved>([&](thalweg_moved* given) { return thalweg_balance_moved(balancer, given); });
  must(thalweg_balancer_free(&balancer));
}

void check_place() {
  const auto reorder = [](const thalweg_reorder_options* options, thalweg_reordering* found) {
    MPI_Comm made = MPI_COMM_NULL;
    const thalweg_status status = thalweg_reorder(MPI_COMM_WORLD, nullptr, 0, options, &made, found);
    if (status == thalweg_success)
      MPI_Comm_free(&made);
    return status;
  };
  check_input(thalweg_reorder_options{},
              [&](const thalweg_reorder_options* given) { return reorder(given, nullptr); });
  check_output<thalweg_reordering>([&](thalweg_reordering* found) { return reorder(nullptr, found); });
}

void check_objects() {
  thalweg_objects* objects = nullptr;
  must(thalweg_objects_open(MPI_COMM_WORLD, &objects));
  const std::int64_t shape[] = {4};
  const auto run = [](void*, const thalweg_message*) {};
  const thalweg_objects_array array{.type = "nothing",
                                    .shape = shape,
                                    .dimensions = 1,
                                    .run = run,
                                    .save = run,
                                    .begin_anew = [](void*) {},
                                    .count = [](void*) { return std::size_t{0}; },
                                    .anchored = [](void*) { return std::size_t{0}; },
                                    .unsettled = [](void*) -> const char* { return nullptr; }};
  check_input(
      array,
      [&](const thalweg_objects_array* given) {
        std::uint16_t number = 0;
        const thalweg_status status = thalweg_objects_add(objects, given, 7, &number);
        if (status == thalweg_success)
          must(thalweg_objects_remove(objects, number));
        return status;
      },
      offsetof(thalweg_objects_array, clear));
  check_input(thalweg_fence_options{}, [&](const thalweg_fence_options* given) {
    return thalweg_objects_fence(objects, given, nullptr);
  });
  check_output<thalweg_fence_outcome>(
      [&](thalweg_fence_outcome* outcome) { return thalweg_objects_fence(objects, nullptr, outcome); });
  must(thalweg_objects_close(&objects));
}

void check_foreign() {
  const std::int64_t shape[] = {4};
  const auto element = [](void*, std::uint32_t) { return 0; };
  const auto enter = [](void*, std::uint32_t, const void*, std::size_t) { return 0; };
  const thalweg_foreign_functions functions{
      .make = element,
      .run = [](void*, std::uint32_t, std::uint32_t, const void*, std::size_t) { return 0; },
      .pack = element,
      .enter = enter,
      .leave = [](void*, std::uint32_t) {},
      .combine = [](void*, const void*, std::size_t, const void*, std::size_t) { return 0; },
      .reduced = enter,
      .begin_anew = [](void*) { return 0; }};
  check_input(
      functions,
      [&](const thalweg_foreign_functions* given) {
        thalweg_foreign_array* made = nullptr;
        const thalweg_status status =
            thalweg_foreign_create(MPI_COMM_WORLD, shape, 1, "nothing", 7, given, &made);
        if (status == thalweg_success)
          must(thalweg_foreign_free(&made));
        return status;
      },
      sizeof functions);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  check_team();
  check_stream();
  check_balance();
  check_place();
  check_objects();
  check_foreign();
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    std::puts("all right");
  MPI_Finalize();
}

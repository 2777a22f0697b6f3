// SPDX-License-Identifier: BSD-3-Clause

// What the report of `thalweg run` tells of streams is what they themselves tell: of one that has many
// phases, of one on a part of the ranks, and of one that nobody has freed when MPI ends. Prints sums over all
// ranks.

#include "checks.hpp"
#include "forms.hpp"
#include "thalweg/stream.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

constexpr int phase_count = 40;

struct Item {
  std::uint64_t number;
};
using Stream = thalweg::stream<Item>;

void print_sums(const std::string& name, const thalweg_stream_statistics& done) {
  const long items = forms::sum_of(static_cast<long>(done.delivered_items));
  const long bytes = forms::sum_of(static_cast<long>(done.near_bytes + done.far_bytes));
  const long buffers = forms::sum_of(static_cast<long>(done.buffers_full + done.buffers_flushed +
                                                       done.buffers_waited + done.buffers_closed));
  const long room = forms::sum_of(static_cast<long>(done.buffer_bytes));
  if (forms::rank_of_world() == 0)
    std::printf("%s items %ld bytes %ld buffers %ld room %ld\n", name.c_str(), items, bytes, buffers, room);
}

void send_to_all(Stream& items, int count) {
  for (int number = 0; number < count; ++number)
    items.send(number % items.size(), {static_cast<std::uint64_t>(number)});
  items.finish();
}

/// Phase p has p items of each rank for each.
void many_phases() {
  thalweg::stream_options options;
  options.buffer_bytes = 512;
  Stream items(
      MPI_COMM_WORLD, [](const Item&) {}, options);
  items.set_name("\"many\" phases");
  checks::require(items.phase_statistics().phases == 0, "a phase has ended before any has");
  for (int phase = 0; phase < phase_count; ++phase) {
    send_to_all(items, phase * items.size());
    const thalweg_stream_statistics one = items.phase_statistics();
    const auto expected = static_cast<std::uint64_t>(phase) * static_cast<std::uint64_t>(items.size());
    checks::require(one.phases == 1 && one.delivered_items == expected && one.hops == expected,
                    "phase %d: %lu items came and %lu were sent", phase,
                    static_cast<unsigned long>(one.delivered_items), static_cast<unsigned long>(one.hops));
    checks::require(one.near_bytes + one.far_bytes == expected * sizeof(Item) &&
                        one.near_bytes + one.far_bytes <= one.buffer_bytes,
                    "phase %d: %lu B in buffers of %lu B", phase,
                    static_cast<unsigned long>(one.near_bytes + one.far_bytes),
                    static_cast<unsigned long>(one.buffer_bytes));
  }
  checks::require(items.statistics().phases == phase_count, "not all phases are counted");
  print_sums("many", items.statistics());
}

/// Along a mesh; only ranks of one parity are in it.
void a_part_of_the_ranks() {
  const int rank = forms::rank_of_world();
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &part);
  {
    Stream items(part, [](const Item&) {});
    MPI_Comm_free(&part);
    send_to_all(items, 1000 * items.size());
  }
}

/// Two hops each, but for items that need fewer.
void a_mesh() {
  if (forms::ranks_of_world() < 4)
    return;
  thalweg::stream_options options;
  options.shape = "2x" + std::to_string((forms::ranks_of_world() + 1) / 2);
  Stream items(
      MPI_COMM_WORLD, [](const Item&) {}, options);
  items.set_name("mesh");
  send_to_all(items, 1000 * items.size());
  const long hops = forms::sum_of(static_cast<long>(items.phase_statistics().hops));
  const long come = forms::sum_of(static_cast<long>(items.phase_statistics().delivered_items));
  checks::require(come == 1000L * items.size() * items.size(), "%ld items came", come);
  checks::require(hops > come && hops < 2 * come, "%ld hops of %ld items", hops, come);
}

void a_size_of_another_version() {
  Stream items(MPI_COMM_WORLD, [](const Item&) {});
  items.finish();
  thalweg_stream_options options{};
  options.item_bytes = sizeof(Item);
  thalweg_stream_handler handler{};
  handler.deliver = [](void*, const char*, std::size_t) { return 0; };
  thalweg_stream* stream = nullptr;
  checks::require(thalweg_stream_create(MPI_COMM_WORLD, &options, &handler, &stream) == thalweg_success,
                  "create");
  thalweg_stream_statistics done{};
  done.size = 0;
  checks::require(thalweg_stream_read_statistics(stream, &done) == thalweg_error_invalid_argument,
                  "no size is no failure");
  done.size = offsetof(thalweg_stream_statistics, buffers_flushed);
  done.buffers_flushed = 77;
  checks::require(thalweg_stream_read_statistics(stream, &done) == thalweg_success, "a smaller size");
  checks::require(done.buffers_flushed == 77, "a field is written that the caller does not know");
  thalweg_stream_free(&stream);
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  many_phases();
  a_part_of_the_ranks();
  a_mesh();
  a_size_of_another_version();
  auto& left = *new Stream(MPI_COMM_WORLD, [](const Item&) {});
  left.set_name("left");
  send_to_all(left, 100);
  print_sums("left", left.statistics());
  if (forms::rank_of_world() == 0)
    std::printf("all right\n");
  MPI_Finalize();
}

// SPDX-License-Identifier: BSD-3-Clause

// The end of the timeline in ranks: events go to rank 0, one rank after the other, since all ranks' together
// may be more than its memory holds.

#include "mpi/comm/clocks.hpp"
#include "mpi/state/process_state.hpp"
#include "mpi/state/runtime.hpp"
#include "mpi/timeline/event_memory.hpp"
#include "mpi/timeline/timeline.hpp"
#include "mpi/wait/polling.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <numeric>

namespace thalweg::mpi::timeline {

namespace {

constexpr std::uint64_t bytes_at_once = std::uint64_t{1} << 20U;

void send(const void* data, std::uint64_t bytes) {
  MPI_Request request = MPI_REQUEST_NULL;
  native.Isend(data, static_cast<int>(bytes), MPI_BYTE, 0, 0, runtime.world.communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
}

void receive(void* data, std::uint64_t bytes, int rank) {
  MPI_Request request = MPI_REQUEST_NULL;
  native.Irecv(data, static_cast<int>(bytes), MPI_BYTE, rank, 0, runtime.world.communicator, &request);
  poll_request(&request, MPI_STATUS_IGNORE);
}

// For each rank: the length of its section's parts, and the parts.
std::vector<std::uint8_t> own_bytes() {
  const auto parts = event_memory().parts();
  std::vector<std::uint8_t> bytes(sizeof(std::uint64_t));
  for (const std::span<const std::uint8_t> part : parts)
    bytes.insert(bytes.end(), part.begin(), part.end());
  const std::uint64_t length = bytes.size() - sizeof(std::uint64_t);
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes;
}

void send_own() {
  const std::vector<std::uint8_t> bytes = own_bytes();
  for (std::uint64_t begin = 0; begin < bytes.size(); begin += bytes_at_once) {
    std::uint64_t part = std::min<std::uint64_t>(bytes_at_once, bytes.size() - begin);
    if (begin == 0) {
      const std::uint64_t length = bytes.size();
      send(&length, sizeof length);
    }
    send(bytes.data() + begin, part);
  }
}

class EventFile {
public:
  explicit EventFile(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
    if (file_ == nullptr)
      log_line(fmt::format("no timeline: {} cannot be written: {}", path_, std::strerror(errno)));
  }
  ~EventFile() {
    if (file_ != nullptr && std::fclose(file_) != 0)
      log_line(fmt::format("the timeline is damaged: {} cannot be written: {}", path_, std::strerror(errno)));
  }
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;

  void write(const void* data, std::uint64_t bytes) {
    if (file_ != nullptr && std::fwrite(data, 1, bytes, file_) != bytes) {
      log_line(fmt::format("the timeline is damaged: {} cannot be written: {}", path_, std::strerror(errno)));
      std::fclose(std::exchange(file_, nullptr));
    }
  }

private:
  std::string path_;
  std::FILE* file_;
};

void write_all(const std::string& path) {
  EventFile file(path);
  const std::vector<std::uint8_t> own = own_bytes();
  file.write(own.data(), own.size());
  const auto part = std::make_unique_for_overwrite<std::uint8_t[]>(bytes_at_once);
  for (int rank = 1; rank < runtime.world.size; ++rank) {
    std::uint64_t length = 0;
    receive(&length, sizeof length, rank);
    for (std::uint64_t begin = 0; begin < length; begin += bytes_at_once) {
      const std::uint64_t bytes = std::min(bytes_at_once, length - begin);
      receive(part.get(), bytes, rank);
      file.write(part.get(), bytes);
    }
  }
}

} // namespace

double clock_offset_ns() {
  if (runtime.world.placement.node_count < 2)
    return 0;
  constexpr int trials = 20;
  std::vector<double> offsets = clock_offsets_ns(runtime.world.communicator, runtime.world.rank,
                                                 runtime.world.placement.nodes, 0, trials);
  offsets.resize(static_cast<std::size_t>(runtime.world.placement.node_count));
  MPI_Request request = MPI_REQUEST_NULL;
  native.Ibcast(offsets.data(), static_cast<int>(offsets.size()), MPI_DOUBLE, 0, runtime.world.communicator,
                &request);
  poll_request(&request, MPI_STATUS_IGNORE);
  const auto node = runtime.world.placement.nodes[static_cast<std::size_t>(runtime.world.rank)];
  return offsets[static_cast<std::size_t>(node)];
}

void keep() {
  if (!process.observation.keeps_timeline)
    return;
  process.observation.keeps_timeline = false;
  process.observation.traces = false;
  Head& head = *event_memory().head();
  head.offset_ns = clock_offset_ns();
  head.latest_ns = observe::monotonic_ns();
  head.latest_ticks = observe::ticks();
  if (runtime.world.rank == 0)
    write_all(runtime.settings.timeline + ".events");
  else
    send_own();
  head.state.store(SectionState::gathered);
  event_memory().remove_file();
  if (runtime.world.rank == 0 && std::getenv("THALWEG_TIMELINE_MEMORY") == nullptr)
    log_line(
        fmt::format("the timeline's events are in {0}.events; thalweg timeline {0}.events -o {0} writes it",
                    runtime.settings.timeline));
}

} // namespace thalweg::mpi::timeline

#include "mpi/runner/typed_copy.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::mpi {

namespace {

// MPI_Pack counts in `int`: large buffers go in runs of elements of about this many bytes.
constexpr std::int64_t run_bytes = std::int64_t{1} << 28;

struct Run {
  std::int64_t elements; // in each run but the last
  std::int64_t element_bytes;
  MPI_Aint extent;
};

Run run_of(MPI_Datatype type) {
  MPI_Count size = 0;
  MPI_Aint low = 0;
  Run run{};
  native.Type_size_x(type, &size);
  native.Type_get_extent(type, &low, &run.extent);
  run.element_bytes = size;
  run.elements = std::max<std::int64_t>(1, run_bytes / std::max<std::int64_t>(1, size));
  return run;
}

} // namespace

int pack(const std::byte* user, std::int64_t count, MPI_Datatype type, std::byte* row, std::int64_t) {
  const Run run = run_of(type);
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const auto elements = static_cast<int>(std::min(run.elements, count - done));
    const auto bytes = static_cast<int>(elements * run.element_bytes);
    int position = 0;
    const int code =
        native.Pack(user + done * run.extent, elements, type, row, bytes, &position, MPI_COMM_SELF);
    if (code != MPI_SUCCESS)
      return code;
    row += bytes;
  }
  return MPI_SUCCESS;
}

int unpack(const std::byte* row, std::int64_t, std::byte* user, std::int64_t count, MPI_Datatype type) {
  const Run run = run_of(type);
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const auto elements = static_cast<int>(std::min(run.elements, count - done));
    const auto bytes = static_cast<int>(elements * run.element_bytes);
    int position = 0;
    const int code =
        native.Unpack(row, bytes, &position, user + done * run.extent, elements, type, MPI_COMM_SELF);
    if (code != MPI_SUCCESS)
      return code;
    row += bytes;
  }
  return MPI_SUCCESS;
}

int copy_elements(const std::byte* from, std::byte* to, std::int64_t count, MPI_Datatype type) {
  const Run run = run_of(type);
  std::vector<std::byte> row(
      static_cast<std::size_t>(run.elements < count ? run_bytes : count * run.element_bytes) + 1);
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const std::int64_t elements = std::min(run.elements, count - done);
    const std::int64_t bytes = elements * run.element_bytes;
    int code = pack(from + done * run.extent, elements, type, row.data(), bytes);
    if (code == MPI_SUCCESS)
      code = unpack(row.data(), bytes, to + done * run.extent, elements, type);
    if (code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

} // namespace thalweg::mpi

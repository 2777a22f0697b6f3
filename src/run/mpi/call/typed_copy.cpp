// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/typed_copy.hpp"

#include <algorithm>
#include <vector>

#include "mpi/comm/own_communicator.hpp"

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

// Elements at an address that MPI_Pack takes. MPICH's refuses MPI_BOTTOM, so elements there get a type that
// begins elsewhere.
class Placed {
public:
  Placed(const std::byte* user, int elements, MPI_Datatype type)
      : address_(user), count_(elements), type_(type) {
    if (user == static_cast<const std::byte*>(MPI_BOTTOM)) {
      static std::byte anchor;
      const MPI_Aint displacement = -reinterpret_cast<MPI_Aint>(&anchor);
      code_ = native.Type_create_struct(1, &elements, &displacement, &type, &type_);
      if (code_ == MPI_SUCCESS) {
        made_ = true;
        code_ = native.Type_commit(&type_);
      }
      address_ = &anchor;
      count_ = 1;
    }
  }
  ~Placed() {
    if (made_)
      native.Type_free(&type_);
  }
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  int pack(std::byte* row, int bytes) const {
    int position = 0;
    return code_ == MPI_SUCCESS ? native.Pack(address_, count_, type_, row, bytes, &position, communicator())
                                : code_;
  }

  int unpack(const std::byte* row, int bytes) const {
    int position = 0;
    return code_ == MPI_SUCCESS ? native.Unpack(row, bytes, &position, const_cast<std::byte*>(address_),
                                                count_, type_, communicator())
                                : code_;
  }

private:
  // Errors are ours to pass on, and no matter of MPI_COMM_SELF's handler.
  static MPI_Comm communicator() {
    const MPI_Comm own = own_communicator();
    return own == MPI_COMM_NULL ? MPI_COMM_SELF : own;
  }

  const std::byte* address_;
  int count_;
  MPI_Datatype type_;
  bool made_ = false;
  int code_ = MPI_SUCCESS;
};

// Calls `copy(placed, row, bytes)` for each run of the elements.
template <class Byte, class Copy>
int for_runs(const std::byte* user, std::int64_t count, MPI_Datatype type, Byte* row, Copy copy) {
  const Run run = run_of(type);
  if (run.element_bytes == 0) // Open MPI's MPI_Pack and MPI_Unpack fail where there is nothing to copy
    return MPI_SUCCESS;
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const auto elements = static_cast<int>(std::min(run.elements, count - done));
    const auto bytes = static_cast<int>(elements * run.element_bytes);
    const int code = copy(Placed(user + done * run.extent, elements, type), row, bytes);
    if (code != MPI_SUCCESS)
      return code;
    row += bytes;
  }
  return MPI_SUCCESS;
}

} // namespace

int pack(const std::byte* user, std::int64_t count, MPI_Datatype type, std::byte* row) {
  return for_runs(user, count, type, row,
                  [](const Placed& placed, std::byte* to, int bytes) { return placed.pack(to, bytes); });
}

int unpack(const std::byte* row, std::byte* user, std::int64_t count, MPI_Datatype type) {
  return for_runs(user, count, type, row, [](const Placed& placed, const std::byte* from, int bytes) {
    return placed.unpack(from, bytes);
  });
}

int copy_elements(const std::byte* from, std::byte* to, std::int64_t count, MPI_Datatype type) {
  const Run run = run_of(type);
  std::vector<std::byte> row(
      static_cast<std::size_t>(run.elements < count ? run_bytes : count * run.element_bytes) + 1);
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const std::int64_t elements = std::min(run.elements, count - done);
    int code = pack(from + done * run.extent, elements, type, row.data());
    if (code == MPI_SUCCESS)
      code = unpack(row.data(), to + done * run.extent, elements, type);
    if (code != MPI_SUCCESS)
      return code;
  }
  return MPI_SUCCESS;
}

} // namespace thalweg::mpi

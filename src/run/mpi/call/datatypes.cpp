// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/datatypes.hpp"

#include "mpi/comm/own_communicators.hpp"

#include <algorithm>
#include <vector>

namespace thalweg::mpi {

bool is_valid_type(MPI_Datatype datatype) {
  if (datatype == MPI_DATATYPE_NULL)
    return false;
  const MPI_Comm own = own_communicator();
  if (is_size_known(datatype) || own == MPI_COMM_NULL)
    return true;
  const char unread = 0; // MPICH does not look at the datatype of no elements
  return native.Send(&unread, 1, datatype, MPI_PROC_NULL, 0, own) == MPI_SUCCESS;
}

bool is_predefined_type(MPI_Datatype datatype) {
  int integers = 0;
  int addresses = 0;
  int datatypes = 0;
  int combiner = 0;
  return datatype != MPI_DATATYPE_NULL &&
         native.Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner) == MPI_SUCCESS &&
         combiner == MPI_COMBINER_NAMED;
}

std::uint64_t ask_datatype_bytes(MPI_Datatype datatype) {
  if (!is_valid_type(datatype)) {
    return 0;
  }
  MPI_Count size = 0;
  if (native.Type_size_x(datatype, &size) != MPI_SUCCESS || size < 0) {
    return 0;
  }
  if (is_predefined_type(datatype)) {
    PerThread<CachedSizes>::own()[cached_size_place(datatype)] = {datatype, static_cast<std::uint64_t>(size),
                                                                  true};
  }
  return static_cast<std::uint64_t>(size);
}

bool are_elements_regular(MPI_Datatype type) {
  if (!is_valid_type(type))
    return true; // the library says what is wrong with it, by whatever form
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Aint true_low = 0;
  MPI_Aint true_extent = 0;
  native.Type_get_extent(type, &low, &extent);
  native.Type_get_true_extent(type, &true_low, &true_extent);
  return low == 0 && true_low >= 0 && extent > 0 && true_low + true_extent <= extent;
}

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
class PackAddress {
public:
  PackAddress(const std::byte* user, int elements, MPI_Datatype type)
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
  ~PackAddress() {
    if (made_)
      native.Type_free(&type_);
  }
  PackAddress(const PackAddress&) = delete;
  PackAddress& operator=(const PackAddress&) = delete;

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
template <typename Byte, typename Copy>
int for_runs(const std::byte* user, std::int64_t count, MPI_Datatype type, Byte* row, Copy copy) {
  const Run run = run_of(type);
  if (run.element_bytes == 0) // Open MPI's MPI_Pack and MPI_Unpack fail where there is nothing to copy
    return MPI_SUCCESS;
  for (std::int64_t done = 0; done < count; done += run.elements) {
    const auto elements = static_cast<int>(std::min(run.elements, count - done));
    const auto bytes = static_cast<int>(elements * run.element_bytes);
    const int code = copy(PackAddress(user + done * run.extent, elements, type), row, bytes);
    if (code != MPI_SUCCESS)
      return code;
    row += bytes;
  }
  return MPI_SUCCESS;
}

} // namespace

int pack(const std::byte* user, std::int64_t count, MPI_Datatype type, std::byte* row) {
  return for_runs(user, count, type, row,
                  [](const PackAddress& placed, std::byte* to, int bytes) { return placed.pack(to, bytes); });
}

int unpack(const std::byte* row, std::byte* user, std::int64_t count, MPI_Datatype type) {
  return for_runs(user, count, type, row, [](const PackAddress& placed, const std::byte* from, int bytes) {
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

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/operators.hpp"

#include "base/error.hpp"
#include "base/of_process.hpp"
#include "mpi/call/datatypes.hpp"
#include "mpi/call/operation_shape.hpp"
#include "mpi/comm/own_communicators.hpp"
#include "nic/operator_code.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <fmt/format.h>
#include <map>
#include <mutex>

namespace thalweg::mpi {

namespace {

template <typename Handle, std::size_t count>
bool is_one_of(Handle handle, const std::array<Handle, count>& handles) {
  return std::ranges::find(handles, handle) != handles.end();
}

bool is_logical(MPI_Op op) {
  return is_one_of(op, std::array{MPI_LAND, MPI_LOR, MPI_LXOR});
}

bool is_bitwise(MPI_Op op) {
  return is_one_of(op, std::array{MPI_BAND, MPI_BOR, MPI_BXOR});
}

bool is_sum(MPI_Op op) {
  return op == MPI_SUM || op == MPI_PROD;
}

bool is_extremum(MPI_Op op) {
  return op == MPI_MAX || op == MPI_MIN;
}

bool is_located(MPI_Op op) {
  return op == MPI_MAXLOC || op == MPI_MINLOC;
}

bool is_whole_number(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_INT,
                                    MPI_LONG,
                                    MPI_LONG_LONG_INT,
                                    MPI_UNSIGNED,
                                    MPI_UNSIGNED_LONG,
                                    MPI_SHORT,
                                    MPI_UNSIGNED_LONG_LONG,
                                    MPI_UNSIGNED_SHORT,
                                    MPI_CHAR,
                                    MPI_SIGNED_CHAR,
                                    MPI_INT8_T,
                                    MPI_INT16_T,
                                    MPI_INT32_T,
                                    MPI_INT64_T,
                                    MPI_UNSIGNED_CHAR,
                                    MPI_UINT8_T,
                                    MPI_UINT16_T,
                                    MPI_UINT32_T,
                                    MPI_UINT64_T,
                                    MPI_INTEGER,
                                    MPI_INTEGER1,
                                    MPI_INTEGER2,
                                    MPI_INTEGER4,
                                    MPI_INTEGER8,
                                    MPI_COUNT,
                                    MPI_AINT,
                                    MPI_OFFSET});
}

// Open MPI 4.1 saturates their sums in whole vectors of the processor, and not in what is left behind those.
// So a sum depends on the order, and on where its elements stand.
bool is_short_number(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_INT8_T, MPI_UINT8_T,
                                    MPI_INTEGER1, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT16_T, MPI_UINT16_T,
                                    MPI_INTEGER2});
}

bool is_truth(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_C_BOOL, MPI_CXX_BOOL, MPI_LOGICAL});
}

bool is_located_whole_number(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_2INT, MPI_SHORT_INT, MPI_LONG_INT, MPI_2INTEGER});
}

bool is_real(MPI_Datatype type) {
  return is_one_of(type, std::array{MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION,
                                    MPI_REAL4, MPI_REAL8});
}

bool is_complex(MPI_Datatype type) {
  return is_one_of(type,
                   std::array{MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX,
                              MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX,
                              MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16});
}

} // namespace

bool is_predefined_operation(MPI_Op op) {
  return is_sum(op) || is_extremum(op) || is_logical(op) || is_bitwise(op) || is_located(op);
}

bool is_commutative(MPI_Op op) {
  if (is_predefined_operation(op))
    return true;
  int commutes = 0;
  native.Op_commutative(op, &commutes);
  return commutes != 0;
}

bool is_exact(const CollectiveCall& call) {
  if (!is_reduction(call.function->operation))
    return true;
  const MPI_Datatype type = call.recvtype;
  if (is_located(call.op))
    return is_located_whole_number(type);
  if (is_logical(call.op) && is_truth(type))
    return true;
  if (is_bitwise(call.op) && type == MPI_BYTE)
    return true;
  return is_predefined_operation(call.op) && is_whole_number(type) &&
         !(call.op == MPI_SUM && is_short_number(type));
}

bool only_rounds(const CollectiveCall& call) {
  return is_reduction(call.function->operation) &&
         ((is_sum(call.op) && is_real(call.recvtype)) || (call.op == MPI_SUM && is_complex(call.recvtype)));
}

namespace {

struct NamedOperators {
  std::mutex mutex;
  std::map<MPI_Op, std::string> names;
  std::atomic<bool> any = false; // most programs have none
};

NamedOperators& named_operators() {
  static NamedOperators all;
  return all;
}

} // namespace

void name_operator(MPI_Op op, std::string_view name) {
  if (op == MPI_OP_NULL || is_predefined_operation(op))
    throw Error("thalweg_nic_operator: MPI's own operators, and none, get no names",
                "name one of MPI_Op_create");
  if (!nic::is_operator_name(name))
    throw Error(fmt::format("thalweg_nic_operator: '{}' is no name of an operator", name),
                "give the one that THALWEG_NIC_OPERATOR has");
  NamedOperators& all = named_operators();
  const std::scoped_lock lock(all.mutex);
  const auto [entry, is_new] = all.names.try_emplace(op, name);
  if (entry->second != name)
    throw Error(
        fmt::format("thalweg_nic_operator: an operator is named {}, and now '{}'", entry->second, name),
        "give it one name");
  all.any = true;
}

const std::string* name_of_operator(MPI_Op op) {
  NamedOperators& all = named_operators();
  if (!all.any.load(std::memory_order_acquire))
    return nullptr;
  const std::scoped_lock lock(all.mutex);
  const auto found = all.names.find(op);
  return found == all.names.end() ? nullptr : &found->second;
}

namespace {

// Of predefined handles, which are never given to others, as a thread has asked for them lately.
struct Reduction {
  MPI_Op op{};
  MPI_Datatype type{};
  bool is_valid = false;

  bool operator==(const Reduction&) const = default;
  std::size_t place() const {
    const auto bits = static_cast<std::uint64_t>((std::uintptr_t)(type)) * 0x9E3779B97F4A7C15U +
                      static_cast<std::uint64_t>((std::uintptr_t)(op));
    return (bits * 0x9E3779B97F4A7C15U) >> 60;
  }
};
using Reductions = std::array<Reduction, 16>;

} // namespace

bool is_valid_reduction(MPI_Op op, MPI_Datatype datatype) {
  if (op == MPI_OP_NULL || datatype == MPI_DATATYPE_NULL)
    return false;
  const MPI_Comm own = own_communicator();
  const Reduction asked{op, datatype, true};
  if (own == MPI_COMM_NULL || PerThread<Reductions>::here()[asked.place()] == asked)
    return true;
  if (!is_valid_type(datatype))
    return false;
  const char nothing = 0;
  char result = 0;
  if (native.Allreduce(&nothing, &result, 0, datatype, op, own) != MPI_SUCCESS)
    return false;
  if (is_predefined_operation(op) && is_predefined_type(datatype))
    PerThread<Reductions>::own()[asked.place()] = asked;
  return true;
}

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/call/named_operators.hpp"

#include <atomic>
#include <map>
#include <mutex>

#include <fmt/format.h>

#include "base/error.hpp"
#include "mpi/call/exactness.hpp"
#include "nic/operator_code.hpp"

namespace thalweg::mpi {

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

} // namespace thalweg::mpi

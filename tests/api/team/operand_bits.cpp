// SPDX-License-Identifier: BSD-3-Clause

// Operators that commute, but for bits: beside NaNs that differ and zeros of two signs, results tell on which
// side operands stood. By each strategy all ranks of a team have the same bits, in place or not.

#include "checks.hpp"
#include "strategies/index.hpp"
#include "thalweg/team.hpp"

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace {

using checks::require;
using thalweg::team;

using Numbers = std::vector<double>;

double number(int rank, std::size_t i) {
  const std::uint64_t dice = (static_cast<std::uint64_t>(rank) * 1000003U + i + 1) * 0x9E3779B97F4A7C15U;
  const std::uint64_t sign = (dice >> 40 & 1) << 63;
  switch (dice >> 60) {
  case 0:
  case 1:
    return std::bit_cast<double>(0x7FF8000000000000U | sign | (dice >> 16 & 0xFFF)); // no number
  case 2:
  case 3:
  case 4:
    return std::bit_cast<double>(sign); // a zero
  default:
    return static_cast<double>(dice >> 20) / 3;
  }
}

// Left where neither is more: of equals, and of those that do not compare.
void larger(void* in, void* inout, int* length, MPI_Datatype*) {
  auto* const left = static_cast<double*>(in);
  auto* const right = static_cast<double*>(inout);
  for (int i = 0; i < *length; ++i)
    right[i] = right[i] > left[i] ? right[i] : left[i];
}

std::vector<std::uint64_t> bits(const Numbers& of) {
  std::vector<std::uint64_t> result;
  for (const double value : of)
    result.push_back(std::bit_cast<std::uint64_t>(value));
  return result;
}

struct Case {
  team& of;
  const std::string& strategy;
  MPI_Op op;
  Numbers mine;

  Case(team& on, const std::string& text, MPI_Op by, std::size_t count) : of(on), strategy(text), op(by) {
    for (std::size_t i = 0; i < count; ++i)
      mine.push_back(number(on.rank(), i));
  }

  void allreduce() const {
    Numbers result(mine.size());
    Numbers in_place = mine;
    of.allreduce(std::span<const double>(mine), std::span(result), op);
    of.allreduce(std::span<const double>(in_place), std::span(in_place), op);
    require(bits(result) == bits(in_place), "%s of %zu: other bits in place", strategy.c_str(), mine.size());
    std::vector<std::uint64_t> of_first = bits(result);
    MPI_Bcast(of_first.data(), static_cast<int>(of_first.size()), MPI_UINT64_T, 0, MPI_COMM_WORLD);
    require(bits(result) == of_first, "%s of %zu: other bits than rank 0", strategy.c_str(), mine.size());
  }

  void reduce(int root) const {
    Numbers result(mine.size());
    Numbers in_place = mine;
    of.reduce(std::span<const double>(mine), std::span(result), root, op);
    of.reduce(std::span<const double>(in_place), std::span(in_place), root, op);
    if (of.rank() == root)
      require(bits(result) == bits(in_place), "%s of %zu: other bits in place", strategy.c_str(),
              mine.size());
  }
};

void check(team& of, const std::string& strategy, bool is_rooted) {
  MPI_Op own = MPI_OP_NULL;
  MPI_Op_create(larger, 1, &own);
  for (const std::size_t count : {1U, 7U, 3000U})
    for (const MPI_Op op : {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, own}) {
      const Case one(of, strategy, op, count);
      if (is_rooted)
        one.reduce(of.size() / 2);
      else
        one.allreduce();
    }
  MPI_Op_free(&own);
}

// Those of the team; network devices' are not.
int check_strategies(team& of, thalweg::schedule::Operation operation, const std::string& name) {
  int checked = 0;
  for (const thalweg::strategies::Strategy& strategy : thalweg::strategies::of(operation)) {
    if (strategy.offloads)
      continue;
    const std::string text = name + "=" + std::string(strategy.name);
    of.use(text.c_str());
    check(of, text, operation == thalweg::schedule::Operation::reduce);
    ++checked;
  }
  return checked;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    team all(MPI_COMM_WORLD);
    const int of_all = check_strategies(all, thalweg::schedule::Operation::allreduce, "allreduce");
    const int of_one = check_strategies(all, thalweg::schedule::Operation::reduce, "reduce");
    require(of_all > 10 && of_one > 10, "%d and %d strategies", of_all, of_one);
    if (all.rank() == 0)
      std::printf("all right\n");
  }
  MPI_Finalize();
}

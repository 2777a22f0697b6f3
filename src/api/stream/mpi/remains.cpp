// SPDX-License-Identifier: BSD-3-Clause
#include "stream/mpi/remains.hpp"

#include "job/library/mpi_calls.hpp"
#include "wait/system.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace thalweg::streams {

namespace {

// Where ranks have a core each, that is plenty; elsewhere a yield may take longer.
constexpr std::uint64_t patience_of_free_ns = 1'000'000;
// Others come to MPI's end too, or have freed their part; but nobody waits for ever for one that never does.
constexpr std::uint64_t patience_of_end_ns = 2'000'000'000;

class Ending {
public:
  explicit Ending(Remains remains) : remains_(std::move(remains)) {
    is_known_ = PMPI_Ireduce_scatter_block(remains_.counts->sent.data(), &to_receive_, 1, MPI_UINT64_T,
                                           MPI_SUM, remains_.communicator->handle(), &asking_) == MPI_SUCCESS;
  }

  /// Have all messages come, and gone? Where ranks could not tell each other, nobody knows.
  bool is_over() {
    int is_agreed = 0;
    remains_.remote->drain();
    return is_known_ && PMPI_Test(&asking_, &is_agreed, MPI_STATUS_IGNORE) == MPI_SUCCESS && is_agreed != 0 &&
           remains_.counts->received == to_receive_ && !remains_.remote->has_sends();
  }

private:
  Remains remains_;
  std::uint64_t to_receive_ = 0;
  MPI_Request asking_ = MPI_REQUEST_NULL;
  bool is_known_ = false;
};

/// Those that are there when MPI ends stay until the process ends.
std::vector<std::unique_ptr<Ending>>& endings() {
  static auto& all = *new std::vector<std::unique_ptr<Ending>>;
  return all;
}

void look_for(std::uint64_t patience_ns) {
  const std::uint64_t begin_ns = wait::System::now_ns();
  for (look_after_remains(); !endings().empty() && wait::System::now_ns() - begin_ns < patience_ns;
       look_after_remains())
    wait::System::yield();
}

/// MPI calls it at the beginning of its end, when it still works.
int look_for_the_last_time(MPI_Comm, int, void*, void*) {
  look_for(patience_of_end_ns);
  return MPI_SUCCESS;
}

void look_when_mpi_ends() {
  static bool will_look = false;
  int key = MPI_KEYVAL_INVALID;
  if (std::exchange(will_look, true) ||
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, look_for_the_last_time, &key, nullptr) != MPI_SUCCESS)
    return;
  PMPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr);
  PMPI_Comm_free_keyval(&key);
}

} // namespace

void leave_behind(Remains remains) {
  endings().push_back(std::make_unique<Ending>(std::move(remains)));
  look_for(patience_of_free_ns);
  if (!endings().empty())
    look_when_mpi_ends();
}

void look_after_remains() {
  std::erase_if(endings(), [](const std::unique_ptr<Ending>& one) { return one->is_over(); });
}

} // namespace thalweg::streams

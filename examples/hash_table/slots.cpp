// SPDX-License-Identifier: BSD-3-Clause
#include "hash_table/table.hpp"
#include "thalweg/team.hpp"

namespace thalweg::examples::hash_table {

namespace {

static_assert(sizeof(Slot) == 2 * sizeof(std::uint64_t));

class SlotsOfTeam final : public Slots {
public:
  SlotsOfTeam(MPI_Comm communicator, std::size_t slots)
      : team_(communicator), words_(team_.allocate<std::uint64_t>(2 * slots)) {}

  void settle() override { team_.barrier(); }
  std::span<Slot const> own() const override {
    return {reinterpret_cast<Slot const*>(words_.data()), words_.size() / 2};
  }
  void claim(Place at, Key const& key, Key& before) override {
    add(team_.start().compare_swap(words_, at.rank, 2 * at.slot, 0, key, before));
  }
  void count_one(Place at) override { team_.add(words_, at.rank, 2 * at.slot + 1, 1); }
  void read(Place at, Slot& found) override {
    add(team_.start().get(words_, at.rank, 2 * at.slot, std::span(&found.key, 2)));
  }
  void finish() override {
    wait_all(under_way_);
    under_way_.clear();
  }

private:
  void add(request one) { under_way_.push_back(std::move(one)); }

  team team_;
  symmetric_memory<std::uint64_t> words_;
  std::vector<request> under_way_;
};

class SlotsOfWindow final : public Slots {
public:
  SlotsOfWindow(MPI_Comm communicator, std::size_t slots) : communicator_(communicator), size_(slots) {
    MPI_Win_allocate(static_cast<MPI_Aint>(slots * sizeof(Slot)), sizeof(std::uint64_t), MPI_INFO_NULL,
                     communicator, &own_, &window_);
    std::uninitialized_fill_n(own_, slots, Slot{});
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window_);
    settle();
  }
  ~SlotsOfWindow() override {
    MPI_Win_unlock_all(window_);
    MPI_Win_free(&window_);
  }
  SlotsOfWindow(SlotsOfWindow const&) = delete;
  SlotsOfWindow& operator=(SlotsOfWindow const&) = delete;

  void settle() override {
    MPI_Win_flush_all(window_);
    MPI_Win_sync(window_);
    MPI_Barrier(communicator_);
    MPI_Win_sync(window_);
  }
  std::span<Slot const> own() const override { return {own_, size_}; }
  void claim(Place at, Key const& key, Key& before) override {
    MPI_Compare_and_swap(&key, &nothing_, &before, MPI_UINT64_T, at.rank, word(at), window_);
  }
  void count_one(Place at) override {
    MPI_Accumulate(&one_, 1, MPI_UINT64_T, at.rank, word(at) + 1, 1, MPI_UINT64_T, MPI_SUM, window_);
  }
  void read(Place at, Slot& found) override {
    MPI_Get(&found, 2, MPI_UINT64_T, at.rank, word(at), 2, MPI_UINT64_T, window_);
  }
  void finish() override { MPI_Win_flush_local_all(window_); }

private:
  static MPI_Aint word(Place at) { return static_cast<MPI_Aint>(2 * at.slot); }

  MPI_Comm communicator_;
  std::size_t size_;
  Slot* own_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::uint64_t const nothing_ = 0;
  std::uint64_t const one_ = 1;
};

} // namespace

std::unique_ptr<Slots> slots_of_team(MPI_Comm communicator, std::size_t slots) {
  return std::make_unique<SlotsOfTeam>(communicator, slots);
}

std::unique_ptr<Slots> slots_of_window(MPI_Comm communicator, std::size_t slots) {
  return std::make_unique<SlotsOfWindow>(communicator, slots);
}

} // namespace thalweg::examples::hash_table

// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What a rank's processor does in the calls of a measured row, beside how long they take.
//
// Where ranks share cores and one may run ahead of the others (a broadcast's root), each makes many calls in
// a row while it has the core: no call waits, and how long they take says nothing of the work of those that
// had the core before. What all ranks work together, on the cores that there are, is what a call takes at
// least.

namespace thalweg::mpi {

class RowWork {
public:
  /// Before the first call, and after the last one: what the thread has had of a processor.
  void begin(double processor_seconds) {
    begun_ = processor_seconds;
    between_ = 0;
    departed_ = -1;
  }
  void end(double processor_seconds) { seconds_ = processor_seconds - begun_ - between_; }

  /// Around each call, by any clock. What the program does between calls is no part of them; where it waits
  /// there, too much is taken off, so that what is left stays a bound.
  void arrived(double seconds) {
    if (departed_ >= 0)
      between_ += seconds - departed_;
  }
  void departed(double seconds) { departed_ = seconds; }

  /// In the calls from begin() to end().
  double seconds() const { return seconds_ > 0 ? seconds_ : 0; }

private:
  double begun_ = 0;
  double between_ = 0;
  double departed_ = -1; ///< before the first call: none
  double seconds_ = 0;
};

} // namespace thalweg::mpi

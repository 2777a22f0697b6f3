// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// What ranks agree on between rounds of nonblocking calls, and from which call on it holds
// (tune/switch_point.hpp). Both agreements are operations of our own, which progress inside of all calls of
// the program, as those do that the program started.

#include "mpi/abi/native.hpp"
#include "transport/transport.hpp"
#include "tune/switch_point.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace thalweg::mpi {

class StartedAgreement {
public:
  /// The tags are from the given one on, so many as `tags` says, and for it alone.
  static constexpr std::int32_t tags = 8;
  static constexpr std::size_t text_bytes = 8192;
  StartedAgreement(std::shared_ptr<transport::Transport> transport, std::int32_t first_tag);
  ~StartedAgreement();
  StartedAgreement(const StartedAgreement&) = delete;
  StartedAgreement& operator=(const StartedAgreement&) = delete;

  bool is_pending() const { return pending_; }
  /// Is all of what is pending agreed on? complete() waits for nobody then.
  bool has_ended() const;

  /// At the same start on all ranks: the largest of each of a row of numbers, and the sums of some; or rank
  /// 0's text, of which the end is cut off beyond what fits.
  void begin(const std::vector<double>& to_maximize, const std::vector<double>& to_sum);
  void begin(const std::string& text);

  /// At each start from then on: do ranks go by the result with this one? Waits at most until others look at
  /// what has reached them.
  bool holds_at_this_start();
  /// Then, or where no more starts will come. Seconds that this rank was held up by the agreement.
  double complete();

  std::vector<double> maxima(std::size_t count) const;
  std::vector<double> sums(std::size_t count) const;
  std::string text() const;

  struct Exchange;

private:
  void hand_out_exchange();

  std::shared_ptr<Exchange> exchange_; ///< also the operation's, which may end later
  MPI_Request request_ = MPI_REQUEST_NULL;
  bool pending_ = false;
  double seconds_ = 0;
};

} // namespace thalweg::mpi

// SPDX-License-Identifier: BSD-3-Clause
#include "control/sparse_exchange.hpp"

namespace thalweg::control {

bool Arrivals::take_in() {
  if (!mailbox_->receive(message_))
    return false;
  std::uint64_t label = 0;
  THALWEG_ASSERT(normal, message_.size() >= sizeof label);
  std::memcpy(&label, message_.data(), sizeof label);
  std::vector<std::byte>& row = by_label_[label];
  row.insert(row.end(), message_.begin() + sizeof label, message_.end());
  return true;
}

SparseExchange::~SparseExchange() {
  arrivals_.forget(label_);
}

void SparseExchange::begin(TaskContext& context) {
  label_ = context.next_label();
  tags_ = context.next_tags();
  std::vector<std::byte> message(sizeof label_ + value_bytes_);
  std::memcpy(message.data(), &label_, sizeof label_);
  for (std::size_t i = 0; i < to_.size(); ++i) {
    std::memcpy(message.data() + sizeof label_, values_ + i * value_bytes_, value_bytes_);
    sent_.push_back(arrivals_.mailbox().send(endpoint_.rank_at(to_[i]), message));
  }
}

wait::Look SparseExchange::look() {
  if (arrivals_.take_in())
    return wait::Look::moved;
  if (has_come_)
    return barrier_.look();
  std::erase_if(sent_, [&](std::uint64_t number) { return arrivals_.mailbox().was_received(number); });
  if (!sent_.empty())
    return wait::Look::nothing;
  has_come_ = true;
  barrier_.begin_with(tags_);
  return barrier_.look() == wait::Look::reached ? wait::Look::reached : wait::Look::moved;
}

} // namespace thalweg::control

#include "nic/host_card.hpp"

#include "core/error.hpp"
#include "nic/datagram.hpp"
#include "wait/system.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace thalweg::nic {

namespace {

// Longer than the first patience of those who wait below (nic/member.cpp).
constexpr std::uint64_t quiet_ns = 50'000'000;

sockaddr_in address_of(const thalweg_nic_place& place) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = place.address;
  address.sin_port = place.port;
  return address;
}

} // namespace

HostCard::HostCard(std::string_view address) : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in own{};
  own.sin_family = AF_INET;
  socklen_t length = sizeof own;
  const std::string text(address);
  if (socket_ < 0 || inet_pton(AF_INET, text.c_str(), &own.sin_addr) != 1 ||
      bind(socket_, reinterpret_cast<const sockaddr*>(&own), sizeof own) < 0 ||
      getsockname(socket_, reinterpret_cast<sockaddr*>(&own), &length) < 0) {
    const int error = errno;
    close(socket_);
    throw Error(fmt::format("no socket at {}: {}", address, std::strerror(error)),
                "give an IPv4 address of this host", thalweg_error_system);
  }
  place_ = {own.sin_addr.s_addr, own.sin_port, 0};
}

HostCard::~HostCard() {
  if (group_.contributors > group_.locals) {
    pollfd arriving{socket_, POLLIN, 0};
    for (std::uint64_t end_ns = wait::System::now_ns() + quiet_ns; wait::System::now_ns() < end_ns;)
      if (poll(&arriving, 1, 10) > 0 && receive())
        end_ns = wait::System::now_ns() + quiet_ns;
  }
  close(socket_);
}

void HostCard::join(const thalweg_nic_group& group) {
  group_ = group;
  cells_.assign(std::size_t{THALWEG_NIC_WINDOW} * group.contributors, {});
}

bool HostCard::start(std::uint32_t epoch, const thalweg_nic_content& own) {
  thalweg_nic_content content = own;
  act(arrive(0, epoch, content), epoch, content);
  return true;
}

// A contributor has arrived; changes `content` to what is to be said, and gives what is to be done.
std::uint32_t HostCard::arrive(std::uint32_t contributor, std::uint32_t epoch, thalweg_nic_content& content) {
  thalweg_nic_content* const cells =
      cells_.data() + epoch % THALWEG_NIC_WINDOW * std::size_t{group_.contributors};
  const std::uint32_t actions =
      thalweg_nic_arrive(&group_, &state_, cells + contributor, contributor, epoch, &content);
  if (actions != THALWEG_NIC_COMBINE)
    return actions;
  content = cells[0];
  for (std::uint32_t other = 1; other < group_.contributors; ++other)
    thalweg_nic_combine(&content, &cells[other]);
  return thalweg_nic_complete(&group_, &state_, epoch, &content);
}

bool HostCard::has_ended(std::uint32_t epoch) {
  while (receive()) {
  }
  return thalweg_nic_has_ended(&state_, epoch) != 0;
}

void HostCard::read(std::uint32_t epoch, thalweg_nic_content& result) {
  std::copy_n(state_.results[epoch % THALWEG_NIC_WINDOW].words, result.count, result.words);
}

void HostCard::sleep_unless(const std::function<bool()>& has_come, std::uint32_t longest_us) {
  pollfd arriving{socket_, POLLIN, 0};
  const timespec longest{longest_us / 1'000'000, longest_us % 1'000'000 * 1000L};
  if (!has_come())
    ppoll(&arriving, 1, &longest, nullptr);
}

// Handles one packet; false where there is none.
bool HostCard::receive() {
  Datagram datagram;
  sockaddr_in from{};
  socklen_t length = sizeof from;
  const ssize_t bytes = recvfrom(socket_, datagram.room(), Datagram::room_bytes(), MSG_DONTWAIT,
                                 reinterpret_cast<sockaddr*>(&from), &length);
  if (bytes < 0)
    return errno != EAGAIN; // others: a neighbor's port was closed
  const thalweg_nic_place sender{from.sin_addr.s_addr, from.sin_port, 0};
  const thalweg_nic_packet& packet = datagram.packet();
  if (!datagram.is_whole(static_cast<std::size_t>(bytes)) ||
      thalweg_nic_admits(&group_, &packet, sender.address, sender.port) == 0)
    return true;
  const std::uint32_t epoch = thalweg_nic_order32(packet.epoch);
  thalweg_nic_content content = datagram.content();
  if (packet.kind == THALWEG_NIC_DOWN) {
    act(thalweg_nic_release(&group_, &state_, epoch, &content), epoch, content);
    return true;
  }
  const std::uint32_t actions = arrive(thalweg_nic_order16(packet.contributor), epoch, content);
  if ((actions & THALWEG_NIC_ANSWER) != 0)
    notify(sender, THALWEG_NIC_DOWN, epoch, content);
  else
    act(actions, epoch, content);
  return true;
}

void HostCard::act(std::uint32_t actions, std::uint32_t epoch, const thalweg_nic_content& content) {
  if ((actions & THALWEG_NIC_NOTIFY_PARENT) != 0)
    notify(group_.parent, THALWEG_NIC_UP, epoch, content);
  if ((actions & THALWEG_NIC_NOTIFY_CHILDREN) != 0)
    for (std::uint32_t child = group_.locals; child < group_.contributors; ++child)
      notify(group_.below[child], THALWEG_NIC_DOWN, epoch, content);
}

// What does not leave is as what is lost.
void HostCard::notify(const thalweg_nic_place& place, std::uint8_t kind, std::uint32_t epoch,
                      const thalweg_nic_content& content) const {
  const Datagram datagram(group_, kind, epoch, content);
  const sockaddr_in to = address_of(place);
  [[maybe_unused]] const ssize_t sent =
      sendto(socket_, datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
             reinterpret_cast<const sockaddr*>(&to), sizeof to);
}

} // namespace thalweg::nic

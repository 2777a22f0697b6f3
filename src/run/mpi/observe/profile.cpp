// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/profile.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace thalweg::mpi::observe {

namespace {

using nlohmann::json;

json endings_to_json(const Endings& endings) {
  json list = json::array();
  for (const auto& [ending, calls] : endings) {
    list.push_back({ending.first, ending.second, calls});
  }
  return list;
}

Endings endings_from_json(const json& list) {
  Endings endings;
  for (const json& entry : list) {
    endings[{entry[0].get<std::string>(), entry[1].get<std::string>()}] = entry[2].get<std::uint64_t>();
  }
  return endings;
}

json sizes_to_json(const SizeCounts& sizes) {
  json list = json::array();
  for (const auto& [index, size] : sizes)
    list.push_back({index, size.calls, size.bytes});
  return list;
}

SizeCounts sizes_from_json(const json& list) {
  SizeCounts sizes;
  for (const json& entry : list)
    sizes[entry[0]] = {entry[1], entry[2]};
  return sizes;
}

json sent_to_json(const std::vector<SentTo>& sent) {
  json list = json::array();
  for (const SentTo& one : sent)
    list.push_back({one.row, one.bytes, one.messages, one.is_read});
  return list;
}

std::vector<SentTo> sent_from_json(const json& list) {
  std::vector<SentTo> sent;
  for (const json& one : list)
    sent.push_back({one[0], one[1], one[2], one[3]});
  return sent;
}

json call_to_json(const CallProfile& call) {
  return {call.function,
          call.location.module,
          call.location.address,
          call.location.function,
          call.phase,
          call.ranks,
          call.calls,
          call.bytes,
          call.ns,
          call.max_call_ns,
          call.cpu_ns,
          endings_to_json(call.endings),
          call.blocks,
          call.durations,
          sizes_to_json(call.sizes),
          call.in_flight_ns,
          call.exposed_ns,
          call.is_own};
}

CallProfile call_from_json(const json& call) {
  return {.function = call[0],
          .location = {call[1], call[2], call[3]},
          .phase = call[4],
          .ranks = call[5],
          .calls = call[6],
          .bytes = call[7],
          .ns = call[8],
          .max_call_ns = call[9],
          .cpu_ns = call[10],
          .endings = endings_from_json(call[11]),
          .blocks = call[12],
          .durations = call[13].get<DurationCounts>(),
          .sizes = sizes_from_json(call[14]),
          .in_flight_ns = call[15],
          .exposed_ns = call[16],
          .is_own = call[17]};
}

} // namespace

std::vector<std::uint8_t> pack(const RankProfile& profile) {
  json calls = json::array();
  for (const CallProfile& call : profile.calls)
    calls.push_back(call_to_json(call));
  json samples = json::array();
  for (const SampledCommunicator& communicator : profile.samples) {
    json sampled = json::array();
    for (const SampledCall& call : communicator.calls) {
      sampled.push_back({call.call, call.enter_ns, call.exit_ns, call.row});
    }
    samples.push_back({communicator.id, communicator.size, sampled});
  }
  return json::to_msgpack({profile.rank, profile.node, profile.host, profile.pid, profile.wall_ns, calls,
                           samples, profile.streams, profile.ns_per_tick, profile.slices.begin_ns,
                           profile.slices.width_ns, profile.slices.all_ns, profile.slices.meetings_ns,
                           sent_to_json(profile.sent)});
}

RankProfile unpack(const std::uint8_t* data, std::size_t size) {
  const json all = json::from_msgpack(data, data + size);
  RankProfile profile{all[0], all[1], all[2], all[3], all[4], {}, {}, {}};
  for (const json& call : all[5])
    profile.calls.push_back(call_from_json(call));
  for (const json& communicator : all[6]) {
    SampledCommunicator samples{communicator[0], communicator[1], {}};
    for (const json& call : communicator[2]) {
      samples.calls.push_back({call[0], call[1], call[2], call[3]});
    }
    profile.samples.push_back(std::move(samples));
  }
  profile.streams = all[7];
  profile.ns_per_tick = all[8];
  profile.slices = {all[9], all[10], all[11], all[12]};
  profile.sent = sent_from_json(all[13]);
  return profile;
}

CallProfile row_profile(const CallRow& row, std::string function, const Location& location,
                        double ns_per_tick) {
  CallProfile call;
  call.function = std::move(function);
  call.location = location;
  call.phase = row.key.phase;
  call.ranks = row.key.ranks;
  call.calls = row.calls;
  call.bytes = row.counts.bytes();
  call.blocks = row.blocks;
  call.ns = row.all_ticks() * ns_per_tick;
  call.max_call_ns = static_cast<double>(row.max_call_ticks) * ns_per_tick;
  call.cpu_ns = call.ns * row.cpu_share.share(ns_per_tick);
  call.durations = duration_counts(row.counts);
  call.sizes = size_counts(row.counts);
  if (row.followed > 0) {
    const double scale = static_cast<double>(row.calls) / static_cast<double>(row.followed);
    call.in_flight_ns = static_cast<double>(row.in_flight_ticks) * ns_per_tick * scale;
    call.exposed_ns = static_cast<double>(row.exposed_ticks) * ns_per_tick * scale;
  }
  call.is_own = is_in_own_library(location);
  return call;
}

} // namespace thalweg::mpi::observe

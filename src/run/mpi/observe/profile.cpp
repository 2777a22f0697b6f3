// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/observe/profile.hpp"

#include <nlohmann/json.hpp>

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

} // namespace

std::vector<std::uint8_t> pack(const RankProfile& profile) {
  json calls = json::array();
  for (const CallProfile& call : profile.calls) {
    calls.push_back({call.function, call.location.module, call.location.address, call.location.function,
                     call.phase, call.ranks, call.calls, call.bytes, call.ns, call.max_call_ns, call.cpu_ns,
                     endings_to_json(call.endings), call.blocks});
  }
  json samples = json::array();
  for (const SampledCommunicator& communicator : profile.samples) {
    json sampled = json::array();
    for (const SampledCall& call : communicator.calls) {
      sampled.push_back({call.call, call.enter_ns, call.exit_ns, call.row});
    }
    samples.push_back({communicator.id, communicator.size, sampled});
  }
  return json::to_msgpack({profile.rank, profile.node, profile.host, profile.pid, profile.wall_ns, calls,
                           samples, profile.streams});
}

RankProfile unpack(const std::uint8_t* data, std::size_t size) {
  const json all = json::from_msgpack(data, data + size);
  RankProfile profile{all[0], all[1], all[2], all[3], all[4], {}, {}, {}};
  for (const json& call : all[5]) {
    profile.calls.push_back({call[0],
                             {call[1], call[2], call[3]},
                             call[4],
                             call[5],
                             call[6],
                             call[7],
                             call[8],
                             call[9],
                             call[10],
                             endings_from_json(call[11]),
                             call[12]});
  }
  for (const json& communicator : all[6]) {
    SampledCommunicator samples{communicator[0], communicator[1], {}};
    for (const json& call : communicator[2]) {
      samples.calls.push_back({call[0], call[1], call[2], call[3]});
    }
    profile.samples.push_back(std::move(samples));
  }
  profile.streams = all[7];
  return profile;
}

} // namespace thalweg::mpi::observe

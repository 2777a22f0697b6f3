// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/place/placing_document.hpp"

#include <nlohmann/json.hpp>

#include "evidence/evidence.hpp"

namespace thalweg::mpi {

namespace {

using nlohmann::json;

json describe_proposal(const Proposal& proposal) {
  json document{{"why", proposal.why}};
  if (proposal.mapped.slot_of.empty())
    return document;
  const auto figures = [](const place::Metrics& metrics) {
    return json{{"hop_bytes", metrics.hop_bytes},
                {"hops_per_byte", metrics.hops_per_byte},
                {"most_loaded_link_bytes", metrics.phase_link_max}};
  };
  document["method"] = proposal.mapped.method;
  document["search_s"] = proposal.mapped.seconds;
  document["predicted"] = {{"as_started", figures(proposal.mapped.identity)},
                           {"placed", figures(proposal.mapped.placed)}};
  return document;
}

} // namespace

std::string placing_document(const PlacingFacts& facts) {
  json document = describe_proposal(facts.proposal);
  document["network"] = facts.network;
  document["busy_links"] = facts.busy_links;
  if (const auto& trial = facts.trial)
    document["trial"] = {{"rounds", trial->ratios.size()},
                         {"wins", evidence::wins(trial->ratios)},
                         {"ratios", trial->ratios},
                         {"before_s", trial->before_s},
                         {"placed_s", trial->placed_s}};
  document["proposed"] = facts.proposal.slot_of;
  document["adopted"] = facts.adopted;
  document["slots"] = facts.slots;
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace thalweg::mpi

#include "job/mpi/shadow_communicator.hpp"

namespace thalweg::job {

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make(const transport::MpiApi& api, MPI_Comm parent) {
  MPI_Group group{};
  if (api.comm_group(parent, &group) != MPI_SUCCESS)
    return nullptr;
  MPI_Comm handle = api.comm_null;
  const int code = api.comm_create(parent, group, &handle);
  api.group_free(&group);
  return code == MPI_SUCCESS ? adopt(api, handle) : nullptr;
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::adopt(const transport::MpiApi& api, MPI_Comm own) {
  api.comm_set_errhandler(own, api.errors_return);
  return std::shared_ptr<ShadowCommunicator>(new ShadowCommunicator(api, own));
}

ShadowCommunicator::~ShadowCommunicator() {
  int ended = 0;
  if (api_.finalized(&ended) == MPI_SUCCESS && ended == 0)
    api_.comm_free(&handle_);
}

} // namespace thalweg::job

#include "job/mpi/shadow_communicator.hpp"

namespace thalweg::job {

ErrorsReturned::ErrorsReturned(const transport::MpiApi& api, MPI_Comm communicator)
    : api_(api), communicator_(communicator),
      is_changed_(api.comm_get_errhandler(communicator, &before_) == MPI_SUCCESS) {
  if (is_changed_)
    api.comm_set_errhandler(communicator, api.errors_return);
}

ErrorsReturned::~ErrorsReturned() {
  if (!is_changed_)
    return;
  api_.comm_set_errhandler(communicator_, before_);
  api_.errhandler_free(&before_); // our reference to it
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make(const transport::MpiApi& api, MPI_Comm parent) {
  const ErrorsReturned while_made(api, parent);
  return make_as_it_is(api, parent);
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make_as_it_is(const transport::MpiApi& api,
                                                                      MPI_Comm parent) {
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

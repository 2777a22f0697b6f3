// SPDX-License-Identifier: BSD-3-Clause
#include "job/mpi/shadow_communicator.hpp"

#include "transport/mpi/communicator_group.hpp"

namespace thalweg::job {

namespace {

// MPICH says that of a communicator without a handler, too, which follows MPI_COMM_SELF's and
// MPI_COMM_WORLD's and cannot be given back that.
bool may_be_unset(const transport::MpiApi& api, MPI_Errhandler handler) {
#if defined(OPEN_MPI)
  static_cast<void>(api);
  static_cast<void>(handler);
  return false;
#else
  return handler == api.errors_are_fatal;
#endif
}

} // namespace

ErrorsReturned::ErrorsReturned(const transport::MpiApi& api, MPI_Comm communicator)
    : api_(api), communicator_(communicator),
      is_read_(api.comm_get_errhandler(communicator, &before_) == MPI_SUCCESS),
      is_changed_(is_read_ && !may_be_unset(api, before_)) {
  if (is_changed_)
    api.comm_set_errhandler(communicator, api.errors_return);
}

ErrorsReturned::~ErrorsReturned() {
  if (is_changed_)
    api_.comm_set_errhandler(communicator_, before_);
  if (is_read_)
    api_.errhandler_free(&before_); // our reference to it
}

namespace {

// Calls `create(group, handle)` with the group of `parent`. MPI_COMM_NULL where it fails.
template <typename Create>
MPI_Comm create_from(const transport::MpiApi& api, MPI_Comm parent, Create create) {
  const transport::CommunicatorGroup group(api, parent);
  if (!group.is_known())
    return api.comm_null;
  MPI_Comm handle = api.comm_null;
  const int code = create(group.get(), &handle);
  return code == MPI_SUCCESS ? handle : api.comm_null;
}

} // namespace

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make(const transport::MpiApi& api, MPI_Comm parent) {
  const ErrorsReturned while_made(api, parent);
  return make_as_it_is(api, parent);
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make_as_it_is(const transport::MpiApi& api,
                                                                      MPI_Comm parent) {
  return adopt(api, create_from(api, parent, [&](MPI_Group group, MPI_Comm* handle) {
                 return api.comm_create(parent, group, handle);
               }));
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::make_over(const transport::MpiApi& api, MPI_Comm base,
                                                                  MPI_Comm parent, int tag) {
  return adopt(api, create_from(api, parent, [&](MPI_Group group, MPI_Comm* handle) {
                 return api.comm_create_group(base, group, tag, handle);
               }));
}

std::shared_ptr<ShadowCommunicator> ShadowCommunicator::adopt(const transport::MpiApi& api, MPI_Comm own) {
  if (own == api.comm_null)
    return nullptr;
  api.comm_set_errhandler(own, api.errors_return);
  return std::shared_ptr<ShadowCommunicator>(new ShadowCommunicator(api, own));
}

ShadowCommunicator::~ShadowCommunicator() {
  int ended = 0;
  if (api_.finalized(&ended) == MPI_SUCCESS && ended == 0)
    api_.comm_free(&handle_);
}

} // namespace thalweg::job

// SPDX-License-Identifier: BSD-3-Clause

// Point-to-point calls beside those that functions.py generates (ISSUED).

#include "mpi/entry/entry.hpp"

#include <memory>

namespace thalweg::mpi {

bool is_sound_message(std::int64_t count, MPI_Datatype datatype, int peer, int tag, MPI_Comm comm) {
  if (count < 0 || datatype == MPI_DATATYPE_NULL || (tag < 0 && tag != MPI_ANY_TAG)) {
    return false;
  }
  const CommunicatorState* const communicator = find_communicator(comm);
  if (communicator == nullptr) {
    return false;
  }
  const int ranks = communicator->inter ? communicator->remote_size : communicator->size;
  return peer == MPI_PROC_NULL || peer == MPI_ANY_SOURCE || (peer >= 0 && peer < ranks);
}

namespace {

// The library's functions with counts of `int`, and those with counts of MPI_Count.
struct IntCounts {
  using Count = int;
  static constexpr Function bsend_id = Function::Bsend;
  static constexpr Function sendrecv_id = Function::Sendrecv;
  static constexpr Function sendrecv_replace_id = Function::Sendrecv_replace;
  static constexpr auto bsend = &NativeTable::Bsend;
  static constexpr auto isend = &NativeTable::Isend;
  static constexpr auto recv = &NativeTable::Recv;
  static constexpr auto sendrecv = &NativeTable::Sendrecv;
  static constexpr auto sendrecv_replace = &NativeTable::Sendrecv_replace;
  static constexpr auto pack = &NativeTable::Pack;
  static constexpr auto pack_size = &NativeTable::Pack_size;
};

#if !defined(THALWEG_FAMILY_OPENMPI)
struct LargeCounts {
  using Count = MPI_Count;
  static constexpr Function bsend_id = Function::Bsend_c;
  static constexpr Function sendrecv_id = Function::Sendrecv_c;
  static constexpr Function sendrecv_replace_id = Function::Sendrecv_replace_c;
  static constexpr auto bsend = &NativeTable::Bsend_c;
  static constexpr auto isend = &NativeTable::Isend_c;
  static constexpr auto recv = &NativeTable::Recv_c;
  static constexpr auto sendrecv = &NativeTable::Sendrecv_c;
  static constexpr auto sendrecv_replace = &NativeTable::Sendrecv_replace_c;
  static constexpr auto pack = &NativeTable::Pack_c;
  static constexpr auto pack_size = &NativeTable::Pack_size_c;
};
#endif

template <typename Counts>
struct SendCall {
  const void* buf;
  typename Counts::Count count;
  MPI_Datatype type;
  int dest;
  int tag;

  int start(MPI_Comm comm, MPI_Request* request) const {
    return (native.*Counts::isend)(buf, count, type, dest, tag, comm, request);
  }
  bool is_sound(MPI_Comm comm) const { return is_sound_message(count, type, dest, tag, comm); }
};

template <typename Counts>
struct ReceiveCall {
  void* buf;
  typename Counts::Count count;
  MPI_Datatype type;
  int source;
  int tag;

  int wait(MPI_Comm comm, MPI_Status* status) const {
    return (native.*Counts::recv)(buf, count, type, source, tag, comm, status);
  }
  bool is_sound(MPI_Comm comm) const { return is_sound_message(count, type, source, tag, comm); }
};

// The send is under way when the receive blocks, so that neither of two ranks waits for the other's.
template <typename Counts>
int exchange_by_polling(const SendCall<Counts>& sent, const ReceiveCall<Counts>& received, MPI_Comm comm,
                        MPI_Status* status) {
  MPI_Request send = MPI_REQUEST_NULL;
  int code = sent.start(comm, &send);
  if (code != MPI_SUCCESS)
    return code;
  code = poll_message(received.source, received.tag, comm);
  if (code == MPI_SUCCESS)
    code = received.wait(comm, status);
  const int ended = poll_request(&send, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS ? code : ended;
}

template <typename Counts>
int replace_by_polling(const SendCall<Counts>& sent, const ReceiveCall<Counts>& received, MPI_Comm comm,
                       MPI_Status* status) {
  typename Counts::Count size = 0;
  int code = (native.*Counts::pack_size)(sent.count, sent.type, comm, &size);
  if (code != MPI_SUCCESS)
    return code;
  const auto copy = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size));
  typename Counts::Count packed = 0;
  code = (native.*Counts::pack)(sent.buf, sent.count, sent.type, copy.get(), size, &packed, comm);
  if (code != MPI_SUCCESS)
    return code;
  return exchange_by_polling<Counts>({copy.get(), packed, MPI_PACKED, sent.dest, sent.tag}, received, comm,
                                     status);
}

template <typename Counts>
int bsend(const CallSite& site, const SendCall<Counts>& sent, MPI_Comm comm) {
  CallObserver observer(
      Counts::bsend_id, site, comm, [&] { return bytes_of(sent.count, sent.type); }, of_all, sent.type);
  progress_in_call();
  const int code = (native.*Counts::bsend)(sent.buf, sent.count, sent.type, sent.dest, sent.tag, comm);
  return observer.ended(code, [&](auto bytes) {
    return MessageCall{.sends = SendArguments{sent.dest, sent.tag, bytes}};
  });
}

// An exchange by `make(status)`, or by polling, where the call must not block in the library.
template <typename Counts, typename Make, typename Poll>
int exchange(Function function, const CallSite& site, const SendCall<Counts>& sent,
             const ReceiveCall<Counts>& received, MPI_Comm comm, MPI_Status* status, Make make,
             Poll by_polling) {
  CallObserver observer(
      function, site, comm, [&] { return bytes_of(sent.count, sent.type); }, of_all, sent.type);
  progress_in_call();
  MPI_Status own_status;
  status = observer.status_of(status, own_status);
  const bool polls = must_poll() && sent.is_sound(comm) && received.is_sound(comm);
  const int code = polls ? by_polling(sent, received, comm, status) : make(status);
  return observer.ended(code, [&](auto bytes) {
    return MessageCall{.sends = SendArguments{sent.dest, sent.tag, bytes},
                       .receives = ReceiveArguments{received.source, received.tag},
                       .status = status};
  });
}

template <typename Counts>
int sendrecv(const CallSite& site, const SendCall<Counts>& sent, const ReceiveCall<Counts>& received,
             MPI_Comm comm, MPI_Status* status) {
  const auto make = [&](MPI_Status* own) {
    return (native.*Counts::sendrecv)(sent.buf, sent.count, sent.type, sent.dest, sent.tag, received.buf,
                                      received.count, received.type, received.source, received.tag, comm,
                                      own);
  };
  return exchange<Counts>(Counts::sendrecv_id, site, sent, received, comm, status, make,
                          exchange_by_polling<Counts>);
}

template <typename Counts>
int sendrecv_replace(const CallSite& site, const SendCall<Counts>& sent, const ReceiveCall<Counts>& received,
                     MPI_Comm comm, MPI_Status* status) {
  const auto make = [&](MPI_Status* own) {
    return (native.*Counts::sendrecv_replace)(received.buf, sent.count, sent.type, sent.dest, sent.tag,
                                              received.source, received.tag, comm, own);
  };
  return exchange<Counts>(Counts::sendrecv_replace_id, site, sent, received, comm, status, make,
                          replace_by_polling<Counts>);
}

} // namespace

int handle_Bsend(const CallSite& site, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  return bsend<IntCounts>(site, {buf, count, datatype, dest, tag}, comm);
}

int handle_Sendrecv(const CallSite& site, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm comm, MPI_Status* status) {
  return sendrecv<IntCounts>(site, {sendbuf, sendcount, sendtype, dest, sendtag},
                             {recvbuf, recvcount, recvtype, source, recvtag}, comm, status);
}

int handle_Sendrecv_replace(const CallSite& site, void* buf, int count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return sendrecv_replace<IntCounts>(site, {buf, count, datatype, dest, sendtag},
                                     {buf, count, datatype, source, recvtag}, comm, status);
}

int handle_Probe(const CallSite& site, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  CallObserver observer(Function::Probe, site, comm, no_bytes, of_reports_and_traces);
  progress_in_call();
  if (must_poll() && is_sound_message(0, MPI_BYTE, source, tag, comm)) {
    const int code = poll_message(source, tag, comm);
    if (code != MPI_SUCCESS)
      return code;
  }
  return native.Probe(source, tag, comm, status);
}

int handle_Mprobe(const CallSite& site, int source, int tag, MPI_Comm comm, MPI_Message* message,
                  MPI_Status* status) {
  CallObserver observer(Function::Mprobe, site, comm, no_bytes, of_reports_and_traces);
  progress_in_call();
  const auto ended = [&](int code) {
    return observer.ended(code, [&](auto) { return ProbedMessage{*message}; });
  };
  if (must_poll() && is_sound_message(0, MPI_BYTE, source, tag, comm)) {
    return ended(poll([&](bool& found) {
      int flag = 0;
      const int code = native.Improbe(source, tag, comm, &flag, message, status);
      found = flag != 0;
      return code;
    }));
  }
  return ended(native.Mprobe(source, tag, comm, message, status));
}

int handle_Iprobe(const CallSite& site, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  CallObserver observer(Function::Iprobe, site, comm, no_bytes, of_reports_and_traces);
  progress_in_call();
  const int code = native.Iprobe(source, tag, comm, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Improbe(const CallSite& site, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                   MPI_Status* status) {
  CallObserver observer(Function::Improbe, site, comm, no_bytes, of_reports_and_traces);
  progress_in_call();
  const int code = native.Improbe(source, tag, comm, flag, message, status);
  if (*flag != 0)
    observer.ended(code, [&](auto) { return ProbedMessage{*message}; });
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

#if !defined(THALWEG_FAMILY_OPENMPI)

int handle_Bsend_c(const CallSite& site, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                   int tag, MPI_Comm comm) {
  return bsend<LargeCounts>(site, {buf, count, datatype, dest, tag}, comm);
}

int handle_Sendrecv_c(const CallSite& site, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  return sendrecv<LargeCounts>(site, {sendbuf, sendcount, sendtype, dest, sendtag},
                               {recvbuf, recvcount, recvtype, source, recvtag}, comm, status);
}

int handle_Sendrecv_replace_c(const CallSite& site, void* buf, MPI_Count count, MPI_Datatype datatype,
                              int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                              MPI_Status* status) {
  return sendrecv_replace<LargeCounts>(site, {buf, count, datatype, dest, sendtag},
                                       {buf, count, datatype, source, recvtag}, comm, status);
}

#endif

} // namespace thalweg::mpi

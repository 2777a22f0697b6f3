// Point-to-point calls beside those that functions.py generates (ISSUED).

#include <memory>
#include <type_traits>

#include "mpi/entry/entry.hpp"

namespace thalweg::mpi {

namespace {

// The library's functions of either width, by the type of the count.
template <class Count>
struct Native {
  static int isend(const void* buf, Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
                   MPI_Request* to) {
    if constexpr (std::is_same_v<Count, int>) {
      return native.Isend(buf, count, type, dest, tag, comm, to);
    } else {
      return native.Isend_c(buf, count, type, dest, tag, comm, to);
    }
  }
  static int pack_size(Count count, MPI_Datatype type, MPI_Comm comm, Count* size) {
    if constexpr (std::is_same_v<Count, int>) {
      return native.Pack_size(count, type, comm, size);
    } else {
      return native.Pack_size_c(count, type, comm, size);
    }
  }
  static int pack(const void* buf, Count count, MPI_Datatype type, void* to, Count size, Count* at,
                  MPI_Comm comm) {
    if constexpr (std::is_same_v<Count, int>) {
      return native.Pack(buf, count, type, to, size, at, comm);
    } else {
      return native.Pack_c(buf, count, type, to, size, at, comm);
    }
  }
};

struct Sent {
  int dest;
  int tag;
};
struct Received {
  int source;
  int tag;
};

bool is_sound_exchange(std::int64_t sendcount, MPI_Datatype sendtype, Sent to, std::int64_t recvcount,
                       MPI_Datatype recvtype, Received from, MPI_Comm comm) {
  return is_sound_message(sendcount, sendtype, to.dest, to.tag, comm) &&
         is_sound_message(recvcount, recvtype, from.source, from.tag, comm);
}

// The send is under way when `receive` blocks, so that neither of two ranks waits for the other's.
template <class Count, class Receive>
int sendrecv_by_polling(const void* buf, Count count, MPI_Datatype type, Sent to, Received from,
                        MPI_Comm comm, Receive receive) {
  MPI_Request send = MPI_REQUEST_NULL;
  int code = Native<Count>::isend(buf, count, type, to.dest, to.tag, comm, &send);
  if (code != MPI_SUCCESS) {
    return code;
  }
  code = poll_message(from.source, from.tag, comm);
  if (code == MPI_SUCCESS) {
    code = receive();
  }
  const int sent = poll_request(&send, MPI_STATUS_IGNORE);
  return code != MPI_SUCCESS ? code : sent;
}

template <class Count, class Receive>
int sendrecv_replace_by_polling(const void* buf, Count count, MPI_Datatype datatype, Sent to, Received from,
                                MPI_Comm comm, Receive receive) {
  Count size = 0;
  int code = Native<Count>::pack_size(count, datatype, comm, &size);
  if (code != MPI_SUCCESS) {
    return code;
  }
  const auto copy = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(size));
  Count packed = 0;
  code = Native<Count>::pack(buf, count, datatype, copy.get(), size, &packed, comm);
  if (code != MPI_SUCCESS) {
    return code;
  }
  return sendrecv_by_polling<Count>(copy.get(), packed, MPI_PACKED, to, from, comm, receive);
}

} // namespace

int handle_Bsend(const CallSite& site, const void* buf, int count, MPI_Datatype datatype, int dest, int tag,
                 MPI_Comm comm) {
  const Observed observed(
      Function::Bsend, site, comm, [&] { return bytes_of(count, datatype); }, dest);
  progress_in_call();
  return observed.traced(native.Bsend(buf, count, datatype, dest, tag, comm), [&](auto& on, auto bytes) {
    trace_send(on, {dest, tag, bytes});
  });
}

int handle_Sendrecv(const CallSite& site, const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest,
                    int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag,
                    MPI_Comm comm, MPI_Status* status) {
  const Observed observed(
      Function::Sendrecv, site, comm, [&] { return bytes_of(sendcount, sendtype); }, dest);
  progress_in_call();
  MPI_Status own_status;
  status = observed.status_of(status, own_status);
  const auto traced = [&](int code) {
    return observed.traced(code, [&](auto& on, auto bytes) {
      trace_exchange(on, {dest, sendtag, bytes}, {source, recvtag}, *status);
    });
  };
  if (must_poll() &&
      is_sound_exchange(sendcount, sendtype, {dest, sendtag}, recvcount, recvtype, {source, recvtag}, comm)) {
    return traced(
        sendrecv_by_polling<int>(sendbuf, sendcount, sendtype, {dest, sendtag}, {source, recvtag}, comm, [&] {
          return native.Recv(recvbuf, recvcount, recvtype, source, recvtag, comm, status);
        }));
  }
  return traced(native.Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                source, recvtag, comm, status));
}

int handle_Sendrecv_replace(const CallSite& site, void* buf, int count, MPI_Datatype datatype, int dest,
                            int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Observed observed(
      Function::Sendrecv_replace, site, comm, [&] { return bytes_of(count, datatype); }, dest);
  progress_in_call();
  MPI_Status own_status;
  status = observed.status_of(status, own_status);
  const auto traced = [&](int code) {
    return observed.traced(code, [&](auto& on, auto bytes) {
      trace_exchange(on, {dest, sendtag, bytes}, {source, recvtag}, *status);
    });
  };
  if (must_poll() &&
      is_sound_exchange(count, datatype, {dest, sendtag}, count, datatype, {source, recvtag}, comm)) {
    return traced(
        sendrecv_replace_by_polling<int>(buf, count, datatype, {dest, sendtag}, {source, recvtag}, comm, [&] {
          return native.Recv(buf, count, datatype, source, recvtag, comm, status);
        }));
  }
  return traced(native.Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
}

int handle_Probe(const CallSite& site, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const Observed observed(Function::Probe, site, comm, no_bytes, sends_nothing);
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
  const Observed observed(Function::Mprobe, site, comm, no_bytes, sends_nothing);
  progress_in_call();
  const auto traced = [&](int code) {
    return observed.traced(code, [&](auto& on, auto) { trace_found(on, *message); });
  };
  if (must_poll() && is_sound_message(0, MPI_BYTE, source, tag, comm)) {
    return traced(poll([&](bool& found) {
      int flag = 0;
      const int code = native.Improbe(source, tag, comm, &flag, message, status);
      found = flag != 0;
      return code;
    }));
  }
  return traced(native.Mprobe(source, tag, comm, message, status));
}

int handle_Iprobe(const CallSite& site, int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
  const Observed observed(Function::Iprobe, site, comm, no_bytes, sends_nothing);
  progress_in_call();
  const int code = native.Iprobe(source, tag, comm, flag, status);
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

int handle_Improbe(const CallSite& site, int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
                   MPI_Status* status) {
  const Observed observed(Function::Improbe, site, comm, no_bytes, sends_nothing);
  progress_in_call();
  const int code = native.Improbe(source, tag, comm, flag, message, status);
  if (*flag != 0)
    observed.traced(code, [&](auto& on, auto) { trace_found(on, *message); });
  looked_in_vain(code == MPI_SUCCESS && *flag == 0);
  return code;
}

#if !defined(THALWEG_FAMILY_OPENMPI)

int handle_Bsend_c(const CallSite& site, const void* buf, MPI_Count count, MPI_Datatype datatype, int dest,
                   int tag, MPI_Comm comm) {
  const Observed observed(
      Function::Bsend_c, site, comm, [&] { return bytes_of(count, datatype); }, dest);
  progress_in_call();
  return observed.traced(native.Bsend_c(buf, count, datatype, dest, tag, comm), [&](auto& on, auto bytes) {
    trace_send(on, {dest, tag, bytes});
  });
}

int handle_Sendrecv_c(const CallSite& site, const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype,
                      int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype,
                      int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
  const Observed observed(
      Function::Sendrecv_c, site, comm, [&] { return bytes_of(sendcount, sendtype); }, dest);
  progress_in_call();
  MPI_Status own_status;
  status = observed.status_of(status, own_status);
  const auto traced = [&](int code) {
    return observed.traced(code, [&](auto& on, auto bytes) {
      trace_exchange(on, {dest, sendtag, bytes}, {source, recvtag}, *status);
    });
  };
  if (must_poll() &&
      is_sound_exchange(sendcount, sendtype, {dest, sendtag}, recvcount, recvtype, {source, recvtag}, comm)) {
    return traced(sendrecv_by_polling<MPI_Count>(
        sendbuf, sendcount, sendtype, {dest, sendtag}, {source, recvtag}, comm,
        [&] { return native.Recv_c(recvbuf, recvcount, recvtype, source, recvtag, comm, status); }));
  }
  return traced(native.Sendrecv_c(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype,
                                  source, recvtag, comm, status));
}

int handle_Sendrecv_replace_c(const CallSite& site, void* buf, MPI_Count count, MPI_Datatype datatype,
                              int dest, int sendtag, int source, int recvtag, MPI_Comm comm,
                              MPI_Status* status) {
  const Observed observed(
      Function::Sendrecv_replace_c, site, comm, [&] { return bytes_of(count, datatype); }, dest);
  progress_in_call();
  MPI_Status own_status;
  status = observed.status_of(status, own_status);
  const auto traced = [&](int code) {
    return observed.traced(code, [&](auto& on, auto bytes) {
      trace_exchange(on, {dest, sendtag, bytes}, {source, recvtag}, *status);
    });
  };
  if (must_poll() &&
      is_sound_exchange(count, datatype, {dest, sendtag}, count, datatype, {source, recvtag}, comm)) {
    return traced(sendrecv_replace_by_polling<MPI_Count>(
        buf, count, datatype, {dest, sendtag}, {source, recvtag}, comm,
        [&] { return native.Recv_c(buf, count, datatype, source, recvtag, comm, status); }));
  }
  return traced(
      native.Sendrecv_replace_c(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
}

#endif

} // namespace thalweg::mpi

// TLM-2.0 transactions as messages: initiators and targets at the nodes of a network.
#pragma once

#include <deque>
#include <optional>
#include <vector>

// Required by tlm_utils.
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm>

#include "sim/adaptors/endpoints.h"

namespace flitscope {

/// Addresses of a node.
struct AddressRegion {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  NodeId node = 0;
};

/// Sizes and destinations of messages: a request has `header_bytes` and the data of a write, its response
/// `header_bytes` and the data of a read.
struct TlmMessages {
  std::uint32_t header_bytes = 8;
  std::vector<AddressRegion> regions;

  /// The region that holds all of `bytes` from `address` on.
  [[nodiscard]] std::optional<AddressRegion> find(std::uint64_t address, std::uint64_t bytes) const;
};

/// A transaction in flight.
struct TlmRequest {
  tlm::tlm_generic_payload* payload = nullptr;
  std::uint64_t base = 0;  ///< of its region
  NodeId initiator = 0;
  sc_core::sc_event* done = nullptr;
};
struct TlmResponse {
  sc_core::sc_event* done = nullptr;
};

/// Represents all targets at the node of an initiator, whose socket is bound to `socket`. b_transport waits
/// for the annotated delay and then for the response, and returns a delay of zero. nb_transport is supported:
/// the socket makes processes of its calls, any number at a time. An address outside of all regions gets
/// TLM_ADDRESS_ERROR_RESPONSE at once. There is no direct memory interface.
class TlmInitiatorAdaptor final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TlmInitiatorAdaptor> socket{"socket"};

  TlmInitiatorAdaptor(const sc_core::sc_module_name& name, Endpoint& endpoint, const Network& network,
                      TlmMessages messages);

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  Endpoint& endpoint_;
  std::uint32_t flit_bytes_;
  TlmMessages messages_;
};

/// Represents all initiators at the node of a target, to whose socket `socket` is bound. Requests are passed
/// on one at a time, in the order of arrival, with addresses relative to the base of their region; the
/// target's annotated delay passes before the response is sent.
class TlmTargetAdaptor final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TlmTargetAdaptor);
  tlm_utils::simple_initiator_socket<TlmTargetAdaptor> socket{"socket"};

  TlmTargetAdaptor(const sc_core::sc_module_name& name, Endpoint& endpoint, const Network& network,
                   std::uint32_t header_bytes = TlmMessages{}.header_bytes);

 private:
  void serve();

  Endpoint& endpoint_;
  std::uint32_t flit_bytes_;
  std::uint32_t header_bytes_;
  std::deque<TlmRequest> requests_;
  sc_core::sc_event arrived_{"arrived"};
};

}  // namespace flitscope

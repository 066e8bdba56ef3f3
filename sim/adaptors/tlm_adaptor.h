// TLM-2.0 transactions as messages: initiators and targets at the nodes of a network.
#pragma once

#include <deque>
#include <optional>
#include <vector>

// What tlm_utils wants of SystemC.
#ifndef SC_INCLUDE_DYNAMIC_PROCESSES
#define SC_INCLUDE_DYNAMIC_PROCESSES
#endif
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>
#include <tlm>

#include "sim/adaptors/endpoints.h"

namespace flitscope {

/// Which addresses are at which node.
struct AddressRegion {
  std::uint64_t base = 0;
  std::uint64_t size = 0;
  NodeId node = 0;
};

/// How transactions become messages: a request has `header_bytes`, and the data of a write; its response has
/// `header_bytes`, and the data of a read.
struct TlmMessages {
  std::uint32_t header_bytes = 8;
  std::vector<AddressRegion> regions;

  /// The region that holds all of `bytes` from `address` on.
  [[nodiscard]] std::optional<AddressRegion> find(std::uint64_t address, std::uint64_t bytes) const;
};

/// A transaction on its way.
struct TlmRequest {
  tlm::tlm_generic_payload* payload = nullptr;
  std::uint64_t base = 0;  ///< of its region
  NodeId initiator = 0;
  sc_core::sc_event* done = nullptr;
};
struct TlmResponse {
  sc_core::sc_event* done = nullptr;
};

/// Stands for all targets at the node of an initiator, whose socket is bound to `socket`. b_transport returns
/// when the response has arrived, with all of the time spent and an annotated delay of zero; the delay that
/// comes with the call is spent first. nb_transport works too: the socket makes processes of its calls, so
/// any number may be under way. An address that no region holds gets TLM_ADDRESS_ERROR_RESPONSE at once.
/// There is no direct memory interface.
class TlmInitiatorAdaptor final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<TlmInitiatorAdaptor> socket{"socket"};

  TlmInitiatorAdaptor(const sc_core::sc_module_name& name, Endpoint& endpoint, const Network& network,
                      TlmMessages messages);
  TlmInitiatorAdaptor(const TlmInitiatorAdaptor&) = delete;
  TlmInitiatorAdaptor& operator=(const TlmInitiatorAdaptor&) = delete;

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  Endpoint& endpoint_;
  std::uint32_t flit_bytes_;
  TlmMessages messages_;
};

/// Stands for all initiators at the node of a target, to whose socket `socket` is bound. Requests are passed
/// on one at a time, in the order of their arrival, with addresses counted from the base of their region; the
/// delay that the target annotates is spent before the response is sent.
class TlmTargetAdaptor final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(TlmTargetAdaptor);
  tlm_utils::simple_initiator_socket<TlmTargetAdaptor> socket{"socket"};

  TlmTargetAdaptor(const sc_core::sc_module_name& name, Endpoint& endpoint, const Network& network,
                   std::uint32_t header_bytes = TlmMessages{}.header_bytes);
  TlmTargetAdaptor(const TlmTargetAdaptor&) = delete;
  TlmTargetAdaptor& operator=(const TlmTargetAdaptor&) = delete;

 private:
  void serve();

  Endpoint& endpoint_;
  std::uint32_t flit_bytes_;
  std::uint32_t header_bytes_;
  std::deque<TlmRequest> requests_;
  sc_core::sc_event arrived_{"arrived"};
};

}  // namespace flitscope

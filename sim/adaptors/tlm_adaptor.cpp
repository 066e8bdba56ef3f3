#include "sim/adaptors/tlm_adaptor.h"

#include <algorithm>

namespace flitscope {

std::optional<AddressRegion> TlmMessages::find(std::uint64_t address, std::uint64_t bytes) const {
  const auto holds = [&](const AddressRegion& region) {
    return address >= region.base && address - region.base < region.size &&
           bytes <= region.size - (address - region.base);
  };
  const auto found = std::ranges::find_if(regions, holds);
  return found == regions.end() ? std::nullopt : std::optional(*found);
}

TlmInitiatorAdaptor::TlmInitiatorAdaptor(const sc_core::sc_module_name&, Endpoint& endpoint,
                                         const Network& network, TlmMessages messages)
    : endpoint_(endpoint), flit_bytes_(network.machine().flit_bytes), messages_(std::move(messages)) {
  socket.register_b_transport(this, &TlmInitiatorAdaptor::b_transport);
  endpoint.on_delivery([](const IncomingMessage& message) {
    const auto* const response = std::any_cast<TlmResponse>(&message.content);
    if (response != nullptr) response->done->notify(sc_core::SC_ZERO_TIME);
  });
}

void TlmInitiatorAdaptor::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const auto region = messages_.find(payload.get_address(), payload.get_data_length());
  if (!region) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  delay = sc_core::SC_ZERO_TIME;
  const std::uint64_t data = payload.is_write() ? payload.get_data_length() : 0;
  sc_core::sc_event done;
  endpoint_.send({.destination = region->node,
                  .flits = static_cast<std::uint32_t>(flits_of(messages_.header_bytes + data, flit_bytes_)),
                  .content = TlmRequest{&payload, region->base, endpoint_.node(), &done}});
  wait(done);
}

TlmTargetAdaptor::TlmTargetAdaptor(const sc_core::sc_module_name&, Endpoint& endpoint, const Network& network,
                                   std::uint32_t header_bytes)
    : endpoint_(endpoint), flit_bytes_(network.machine().flit_bytes), header_bytes_(header_bytes) {
  endpoint.on_delivery([this](const IncomingMessage& message) {
    const auto* const request = std::any_cast<TlmRequest>(&message.content);
    if (request == nullptr) return;
    requests_.push_back(*request);
    arrived_.notify(sc_core::SC_ZERO_TIME);
  });
  SC_THREAD(serve);
}

void TlmTargetAdaptor::serve() {
  while (true) {
    while (requests_.empty()) wait(arrived_);
    const TlmRequest request = requests_.front();
    requests_.pop_front();
    tlm::tlm_generic_payload& payload = *request.payload;
    const std::uint64_t address = payload.get_address();
    payload.set_address(address - request.base);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    payload.set_address(address);
    if (delay != sc_core::SC_ZERO_TIME) wait(delay);
    const std::uint64_t data = payload.is_read() ? payload.get_data_length() : 0;
    endpoint_.send({.destination = request.initiator,
                    .flits = static_cast<std::uint32_t>(flits_of(header_bytes_ + data, flit_bytes_)),
                    .content = TlmResponse{request.done}});
  }
}

}  // namespace flitscope

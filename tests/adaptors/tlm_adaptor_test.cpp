// TLM-2.0 transactions through a mesh: data, addresses, and every cycle of their time.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "sim/adaptors/tlm_adaptor.h"
#include "sim/run/experiment.h"

namespace flitscope::tlm_adaptor_test {
namespace {

using sc_core::SC_NS;
using sc_core::sc_time;

const Topology kMesh(TopologyKind::mesh, {4});
constexpr std::uint64_t kBase = 0x1000;

/// 64 bytes; takes 30 ns for an access, annotated.
struct Memory final : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  explicit Memory(const sc_core::sc_module_name&) { socket.register_b_transport(this, &Memory::b_transport); }
  void b_transport(tlm::tlm_generic_payload& payload, sc_time& delay) {
    std::byte* const place = bytes.data() + payload.get_address();
    if (payload.is_write()) std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    delay += sc_time(30, SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::array<std::byte, 64> bytes{};
};

struct Initiator final : sc_core::sc_module {
  SC_HAS_PROCESS(Initiator);
  tlm_utils::simple_initiator_socket<Initiator> socket{"socket"};
  Initiator(const sc_core::sc_module_name&, std::function<void(Initiator&)> what) : act(std::move(what)) {
    socket.register_nb_transport_bw(this, &Initiator::nb_transport_bw);
    SC_THREAD(run);
  }
  void run() { act(*this); }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_time& delay) {
    if (phase == tlm::BEGIN_RESP) {
      responded = sc_core::sc_time_stamp() + delay;
      response.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    return tlm::TLM_ACCEPTED;
  }
  std::function<void(Initiator&)> act;
  sc_time responded;
  sc_core::sc_event response;
};

void fill(tlm::tlm_generic_payload& payload, tlm::tlm_command command, std::uint64_t address, void* data,
          unsigned length) {
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(static_cast<unsigned char*>(data));
  payload.set_data_length(length);
  payload.set_streaming_width(length);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
}

/// Responses to an initiator at node 0, with a memory of 64 bytes at node 3.
std::string outcome(const std::function<std::string(Initiator&)>& act) {
  return run_isolated([&] {
    std::string text;
    Network network("network", kMesh, MachineConfig{});
    Endpoints endpoints("endpoints", network);
    TlmInitiatorAdaptor near("near", endpoints.at(0), network, {.regions = {{kBase, 64, 3}}});
    TlmTargetAdaptor far("far", endpoints.at(3), network);
    Memory memory("memory");
    Initiator initiator("initiator", [&](Initiator& self) { text = act(self); });
    initiator.socket.bind(near.socket);
    far.socket.bind(memory.socket);
    sc_core::sc_start();
    return text;
  });
}

/// Over 3 links, from when it is ready.
Cycle time_of(std::uint32_t flits) {
  return 4 * 2 + flits - 1;
}

TEST(TlmAdaptor, WritesAndReads_TakeTheirTime) {
  EXPECT_EQ(outcome([](Initiator& self) {
              std::array<std::uint32_t, 6> sent{1, 2, 3, 4, 5, 6};
              std::array<std::uint32_t, 6> got{};
              tlm::tlm_generic_payload payload;
              sc_time delay(7, SC_NS);
              fill(payload, tlm::TLM_WRITE_COMMAND, kBase + 8, sent.data(), sizeof sent);
              self.socket->b_transport(payload, delay);
              const sc_time written = sc_core::sc_time_stamp();
              const bool spent = delay == sc_core::SC_ZERO_TIME && payload.get_address() == kBase + 8;
              fill(payload, tlm::TLM_READ_COMMAND, kBase + 8, got.data(), sizeof got);
              self.socket->b_transport(payload, delay);
              return fmt::format("{} {} {} {}", written.to_string(), sc_core::sc_time_stamp().to_string(),
                                 spent && payload.is_response_ok(), got == sent);
            }),
            // 8 bytes of header, 24 of data, flits of 8: 4 flits there and 1 back, then 1 and 4. Each is
            // ready in the cycle after the one in which it is sent; the memory takes 30.
            fmt::format("{} ns {} ns true true", 7 + 1 + time_of(4) + 30 + 1 + time_of(1),
                        7 + 2 * (1 + time_of(4) + 30 + 1 + time_of(1))));
}

TEST(TlmAdaptor, AddressOutsideOfRegions_IsRefused) {
  for (const auto& [address, length] :
       {std::pair{kBase - 1, 4U}, std::pair{kBase + 64, 1U}, std::pair{kBase + 62, 4U}}) {
    EXPECT_EQ(outcome([&](Initiator& self) {
                std::uint32_t word = 0;
                tlm::tlm_generic_payload payload;
                sc_time delay;
                fill(payload, tlm::TLM_READ_COMMAND, address, &word, length);
                self.socket->b_transport(payload, delay);
                return fmt::format("{} {}", payload.get_response_string(),
                                   sc_core::sc_time_stamp().to_string());
              }),
              "TLM_ADDRESS_ERROR_RESPONSE 0 s");
  }
}

TEST(TlmAdaptor, NonBlockingInitiators_TakeTheSameTime) {
  EXPECT_EQ(outcome([](Initiator& self) {
              std::uint64_t word = 0;
              tlm::tlm_generic_payload payload;
              fill(payload, tlm::TLM_READ_COMMAND, kBase, &word, 8);
              tlm::tlm_phase phase = tlm::BEGIN_REQ;
              sc_time delay(10, SC_NS);
              self.socket->nb_transport_fw(payload, phase, delay);
              sc_core::wait(self.response);
              return fmt::format("{} {}", self.responded.to_string(), payload.is_response_ok());
            }),
            fmt::format("{} ns true", 10 + 1 + time_of(1) + 30 + 1 + time_of(2)));
}

}  // namespace
}  // namespace flitscope::tlm_adaptor_test

// Two TLM-2.0 initiators and a memory at corners of a mesh: they know addresses, not the network.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "sim/adaptors/tlm_adaptor.h"

using namespace flitscope;

struct Memory final : sc_core::sc_module {
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  explicit Memory(const sc_core::sc_module_name&) { socket.register_b_transport(this, &Memory::access); }
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    unsigned char* const place = bytes.data() + payload.get_address();
    if (payload.is_write()) std::memcpy(place, payload.get_data_ptr(), payload.get_data_length());
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), place, payload.get_data_length());
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  std::array<unsigned char, 4096> bytes{};
};

struct Processor final : sc_core::sc_module {
  SC_HAS_PROCESS(Processor);
  tlm_utils::simple_initiator_socket<Processor> socket{"socket"};
  Processor(const sc_core::sc_module_name&, sc_dt::uint64 line_address, std::uint32_t line_value)
      : address(line_address), value(line_value) {
    SC_THREAD(run);
  }
  void run() {
    std::array<std::uint32_t, 16> line{};
    line.fill(value);
    access(tlm::TLM_WRITE_COMMAND, line);
    line.fill(0);
    access(tlm::TLM_READ_COMMAND, line);
    fmt::print("{}: read {}\n", sc_core::sc_time_stamp().to_string(), line.back());
  }
  void access(tlm::tlm_command command, std::array<std::uint32_t, 16>& line) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(line.data()));
    payload.set_data_length(sizeof line);
    payload.set_streaming_width(sizeof line);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    if (payload.is_response_error()) SC_REPORT_ERROR("processor", payload.get_response_string().c_str());
  }
  sc_dt::uint64 address;
  std::uint32_t value;
};

int sc_main(int, char*[]) {
  Network network("network", Topology(TopologyKind::mesh, {4, 4}), MachineConfig{});
  Endpoints endpoints("endpoints", network);
  const std::vector<AddressRegion> regions{{0x8000'0000, 4096, 15}};
  TlmInitiatorAdaptor far("far", endpoints.at(0), network, {.regions = regions});
  TlmInitiatorAdaptor near("near", endpoints.at(3), network, {.regions = regions});
  TlmTargetAdaptor at_memory("at_memory", endpoints.at(15), network);
  Processor far_processor("far_processor", 0x8000'0040, 42);
  Processor near_processor("near_processor", 0x8000'0080, 43);
  Memory memory("memory");
  far_processor.socket.bind(far.socket);
  near_processor.socket.bind(near.socket);
  at_memory.socket.bind(memory.socket);
  sc_core::sc_start();
  return 0;
}

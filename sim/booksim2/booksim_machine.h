// The machine of a BookSim2 configuration, as a configuration of flitscope and what the socket needs beside.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace flitscope {

/// The kinds of packets of BookSim2's interface, in the order of its numbers.
enum class PacketKind : std::uint8_t { read, write, read_reply, write_reply };
inline constexpr std::size_t kPacketKinds = 4;

struct BookSimMachine {
  /// A configuration of flitscope: network, routers and nodes.
  std::string machine;
  /// Its `workload`: the synthetic traffic of the file; empty if `bounded`.
  std::string workload;
  /// What is simulated otherwise than the file says, a line each, and keys without effect.
  std::vector<std::string> notes;

  std::uint32_t flit_bytes = 32;
  std::uint32_t subnets = 1;
  std::array<std::uint32_t, kPacketKinds> subnet{};         ///< of each kind
  std::array<std::uint32_t, kPacketKinds> message_class{};  ///< of the machine, likewise
  std::uint32_t input_buffer = 9;                           ///< flits, of a node and subnet
  bool maps_nodes = false;                                  ///< use_map
  std::vector<std::uint32_t> memory_nodes;                  ///< memory_node_map
};

/// Reads a configuration of BookSim2 (docs/embedding.md, "BookSim2's interface"). The name of a network
/// file starts from its directory, in the result from `directory`. `bounded`: with the limited buffers of its
/// interface, which its own traffic does not have. Throws InputError with all errors: what cannot be read,
/// keys that BookSim2 has not, and those that flitscope cannot simulate.
[[nodiscard]] BookSimMachine read_booksim_machine(std::string_view text, const std::filesystem::path& file,
                                                  const std::filesystem::path& directory, bool bounded);

}  // namespace flitscope

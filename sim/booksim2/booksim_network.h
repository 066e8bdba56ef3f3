// The networks behind BookSim2's interface: packets of nodes, by subnet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/adaptors/stepped_network.h"
#include "sim/booksim2/booksim_machine.h"

namespace flitscope {

/// One network for each subnet, with the packets that wait at nodes. Cycles of all are the same.
class BookSimNetwork {
 public:
  /// Reads a configuration of BookSim2; its notes go to the standard error stream. Throws InputError.
  explicit BookSimNetwork(const std::string& file);

  [[nodiscard]] NodeId nodes() const { return subnets_.front().network->topology().nodes(); }
  [[nodiscard]] const BookSimMachine& machine() const { return machine_; }
  [[nodiscard]] Cycle cycle() const { return subnets_.front().network->now(); }

  /// Whether the input queue of a node has room for a packet. Throws std::invalid_argument for a node or a
  /// subnet that is missing, as the functions below do.
  [[nodiscard]] bool has_room(NodeId node, std::uint32_t subnet, std::uint32_t bytes) const;
  /// Sends a packet. Throws std::invalid_argument if there is no room, or if it is longer than the buffers.
  void push(NodeId source, NodeId destination, std::uint32_t subnet, std::uint32_t bytes, PacketKind kind,
            void* data);
  /// The next packet that a node can take; nullptr if there is none. Those of different message classes take
  /// turns.
  [[nodiscard]] void* front(NodeId node, std::uint32_t subnet) const;
  void* pop(NodeId node, std::uint32_t subnet);
  void step();
  /// Runs cycles until nothing can move without a push or a pop.
  void drain();
  /// Packets are in the network or at nodes.
  [[nodiscard]] bool busy() const { return pushed_ != popped_; }

  /// Packets, latencies, loads and stalls so far.
  [[nodiscard]] std::string statistics() const;
  /// Stalls so far; if there is a deadlock, its dependency cycle; packets that nodes have not taken.
  [[nodiscard]] std::string state() const;

 private:
  struct Node {
    std::vector<std::vector<std::uint32_t>> waiting;  ///< flits of sent packets, by message class
    std::uint32_t turn = 0;                           ///< the message class that is taken from first
  };
  struct Subnet {
    std::unique_ptr<SteppedNetwork> network;
    std::vector<Node> nodes;
  };

  [[nodiscard]] const Subnet& at(NodeId node, std::uint32_t subnet) const;
  [[nodiscard]] std::optional<std::uint32_t> next_class(NodeId node, std::uint32_t subnet) const;
  [[nodiscard]] std::uint64_t waiting_flits(NodeId node, const Subnet& subnet) const;
  [[nodiscard]] std::uint32_t flits_of_packet(std::uint32_t bytes) const;

  BookSimMachine machine_;
  std::vector<Subnet> subnets_;
  std::uint64_t pushed_ = 0;  ///< packets
  std::uint64_t popped_ = 0;
  std::uint64_t flits_ = 0;    ///< of packets taken
  std::uint64_t latency_ = 0;  ///< their sum, from push to arrival, of packets taken
};

}  // namespace flitscope

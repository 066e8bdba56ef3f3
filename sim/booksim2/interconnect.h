// BookSim2's interface as a class, as simulators of accelerators call it: a drop-in with flitscope behind it
// (docs/embedding.md, "BookSim2's interface").
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace flitscope {
struct BookSimMachine;
}

namespace booksim2 {

/// A network that its caller steps. Names and arguments are those of BookSim2's class; impossible calls throw
/// std::invalid_argument.
class Interconnect {
 public:
  enum class Type : std::uint8_t { READ, WRITE, READ_REPLY, WRITE_REPLY };

  /// Reads a configuration of BookSim2; its `use_map` and `memory_node_map` have no effect, since the
  /// functions below take nodes. Throws std::runtime_error with every error, also if it has not `nodes` nodes
  /// at least. Its notes go to the standard error stream.
  Interconnect(const std::string& config_file, int nodes);
  ~Interconnect();
  Interconnect(const Interconnect&) = delete;
  Interconnect& operator=(const Interconnect&) = delete;

  /// A cycle.
  void run();
  [[nodiscard]] std::uint64_t get_cycle() const;
  /// In bytes.
  [[nodiscard]] unsigned get_flit_size() const;
  [[nodiscard]] unsigned nodes() const;
  [[nodiscard]] const flitscope::BookSimMachine& machine() const;

  /// The queue of a node has no room for a packet of so many bytes.
  [[nodiscard]] bool is_full(std::uint32_t node, std::uint32_t subnet, std::uint32_t bytes) const;
  /// `packet` is given back at the destination; `address` does not matter.
  void push(void* packet, std::uint32_t subnet, std::uint64_t address, std::uint32_t bytes, Type type,
            std::uint32_t source, std::uint32_t destination);
  /// No packet has arrived at a node, or all were popped.
  [[nodiscard]] bool is_empty(std::uint32_t node, std::uint32_t subnet) const;
  /// The next packet; nullptr if there is none. Those of different message classes take turns.
  [[nodiscard]] void* top(std::uint32_t node, std::uint32_t subnet) const;
  void pop(std::uint32_t node, std::uint32_t subnet);
  /// Runs cycles until nothing can move without a push or a pop.
  void drain();
  /// Packets are in the network or at nodes.
  [[nodiscard]] bool is_busy() const;

  /// Packets, latencies, loads and stalls so far.
  [[nodiscard]] std::string statistics() const;
  /// The same; if there is a deadlock, its dependency cycle; packets that nodes have not taken.
  [[nodiscard]] std::string state() const;
  /// Both to the standard output stream.
  void print_stats() const;
  void print_state() const;

 private:
  /// One network for each subnet, with the packets that wait at nodes. Cycles of all are the same.
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace booksim2

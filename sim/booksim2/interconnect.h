// BookSim2's interface as a class, as simulators of accelerators call it: a drop-in with flitscope behind it
// (docs/embedding.md, "BookSim2's interface").
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace flitscope {
class BookSimNetwork;
}

namespace booksim2 {

/// A network that its caller steps. Names and arguments are those of BookSim2's class; impossible calls throw
/// std::invalid_argument.
class Interconnect {
 public:
  enum class Type : std::uint8_t { READ, WRITE, READ_REPLY, WRITE_REPLY };

  /// Reads a configuration of BookSim2; its `use_map` and `memory_node_map` have no effect, since the
  /// functions below take nodes. Throws std::runtime_error with every error, also if it has not `nodes` nodes
  /// at least.
  Interconnect(const std::string& config_file, int nodes);
  ~Interconnect();
  Interconnect(const Interconnect&) = delete;
  Interconnect& operator=(const Interconnect&) = delete;

  /// A cycle.
  void run();
  [[nodiscard]] std::uint64_t get_cycle() const;
  /// In bytes.
  [[nodiscard]] unsigned get_flit_size() const;

  /// The queue of a node has no room for a packet of so many bytes.
  [[nodiscard]] bool is_full(std::uint32_t node, std::uint32_t subnet, std::uint32_t bytes) const;
  /// `packet` is given back at the destination; `address` does not matter.
  void push(void* packet, std::uint32_t subnet, std::uint64_t address, std::uint32_t bytes, Type type,
            std::uint32_t source, std::uint32_t destination);
  /// No packet has arrived at a node, or all were popped.
  [[nodiscard]] bool is_empty(std::uint32_t node, std::uint32_t subnet) const;
  /// The next packet; nullptr if there is none.
  [[nodiscard]] void* top(std::uint32_t node, std::uint32_t subnet) const;
  void pop(std::uint32_t node, std::uint32_t subnet);

  /// To the standard output stream.
  void print_stats() const;
  /// Likewise: stalls, and the dependency cycle of a deadlock.
  void print_state() const;

 private:
  std::unique_ptr<flitscope::BookSimNetwork> network_;
};

}  // namespace booksim2

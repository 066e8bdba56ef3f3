#include "sim/booksim2/interconnect.h"

#include <fmt/format.h>

#include <stdexcept>

#include "sim/booksim2/booksim_network.h"

namespace booksim2 {

Interconnect::Interconnect(const std::string& config_file, int nodes)
    : network_(std::make_unique<flitscope::BookSimNetwork>(config_file)) {
  if (nodes < 0 || static_cast<flitscope::NodeId>(nodes) <= network_->nodes()) return;
  throw std::runtime_error(
      fmt::format("{}: its network has {} nodes, not {}", config_file, network_->nodes(), nodes));
}

Interconnect::~Interconnect() = default;

void Interconnect::run() {
  network_->step();
}

std::uint64_t Interconnect::get_cycle() const {
  return network_->cycle();
}

unsigned Interconnect::get_flit_size() const {
  return network_->machine().flit_bytes;
}

bool Interconnect::is_full(std::uint32_t node, std::uint32_t subnet, std::uint32_t bytes) const {
  return !network_->has_room(node, subnet, bytes);
}

void Interconnect::push(void* packet, std::uint32_t subnet, std::uint64_t, std::uint32_t bytes, Type type,
                        std::uint32_t source, std::uint32_t destination) {
  network_->push(source, destination, subnet, bytes, static_cast<flitscope::PacketKind>(type), packet);
}

bool Interconnect::is_empty(std::uint32_t node, std::uint32_t subnet) const {
  return network_->front(node, subnet) == nullptr;
}

void* Interconnect::top(std::uint32_t node, std::uint32_t subnet) const {
  return network_->front(node, subnet);
}

void Interconnect::pop(std::uint32_t node, std::uint32_t subnet) {
  if (is_empty(node, subnet)) throw std::invalid_argument(fmt::format("no packet to pop at node {}", node));
  network_->pop(node, subnet);
}

void Interconnect::print_stats() const {
  fmt::print("{}", network_->statistics());
}

void Interconnect::print_state() const {
  fmt::print("{}", network_->state());
}

}  // namespace booksim2

#include "routers/engine/external_links.h"

#include <algorithm>
#include <stdexcept>

namespace flitscope {

std::vector<std::vector<Slot>>& ExternalLink::attach(unsigned virtual_channels, std::uint32_t buffer) {
  const std::uint32_t length = std::min(receiver_.attach(*this), buffer);
  if (length == 0) throw std::logic_error("a receiver must have room for at least one flit");
  fifos_.assign(virtual_channels, std::vector<Slot>(length));
  front_.assign(virtual_channels, 0);
  return fifos_;
}

void ExternalLink::credit(unsigned vc) {
  if (vc >= fifos_.size() || !fifos_[vc][front_[vc]].occupied()) {
    throw std::logic_error("a credit for a flit that was never put");
  }
  fifos_[vc][front_[vc]] = Slot::free_from(credit_(vc));
  front_[vc] = front_[vc] + 1 == fifos_[vc].size() ? 0 : front_[vc] + 1;
}

}  // namespace flitscope

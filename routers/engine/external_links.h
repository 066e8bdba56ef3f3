// The links of routers to and from modules that are not ours.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "model/types.h"
#include "routers/engine/external_link.h"
#include "routers/engine/flit.h"

namespace flitscope {

/// An output port that leads to such a module: the FIFOs behind it as far as the sender must know them.
class ExternalLink final : public credit_if {
 public:
  /// Called with the virtual channel in which a slot gets free, and returns from which cycle on it can be
  /// used.
  using Credit = std::function<Cycle(unsigned vc)>;

  /// A slot that the receiver gives back is reported to `credit`.
  ExternalLink(FlitReceiver& receiver, Credit credit) : receiver_(receiver), credit_(std::move(credit)) {}
  ExternalLink(const ExternalLink&) = delete;
  ExternalLink& operator=(const ExternalLink&) = delete;

  /// Attaches itself to the receiver. At most `buffer` flits of its room are used. Returns the slots of each
  /// of `virtual_channels` FIFOs. Throws std::logic_error for a receiver without room.
  std::vector<std::vector<Slot>>& attach(unsigned virtual_channels, std::uint32_t buffer);

  void put(unsigned vc, const LinkFlit& flit) { receiver_.put(vc, flit); }
  /// Throws std::logic_error for a credit without a flit.
  void credit(unsigned vc) override;

 private:
  FlitReceiver& receiver_;
  Credit credit_;
  std::vector<std::vector<Slot>> fifos_;  ///< per VC
  std::vector<std::uint32_t> front_;      ///< per VC, slot of the flit whose credit comes next
};

/// All of a network, by node and port.
class ExternalLinks {
 public:
  ExternalLink& add(NodeId node, unsigned port, std::unique_ptr<ExternalLink> link) {
    return *(links_[key(node, port)] = std::move(link));
  }
  /// Output port `port` of `node`. Requires that it leads to such a module.
  [[nodiscard]] ExternalLink& at(NodeId node, unsigned port) { return *links_.at(key(node, port)); }

  /// Such a module feeds input port `port` of `node`.
  void add_sender(NodeId node, unsigned port, credit_if& sender) { senders_[key(node, port)] = &sender; }
  /// Who feeds it; nullptr if it is not such a module.
  [[nodiscard]] credit_if* sender(NodeId node, unsigned port) const {
    const auto found = senders_.find(key(node, port));
    return found == senders_.end() ? nullptr : found->second;
  }
  [[nodiscard]] bool has_senders() const { return !senders_.empty(); }

 private:
  static std::uint64_t key(NodeId node, unsigned port) { return std::uint64_t{node} << 32 | port; }

  std::unordered_map<std::uint64_t, std::unique_ptr<ExternalLink>> links_;
  std::unordered_map<std::uint64_t, credit_if*> senders_;
};

}  // namespace flitscope

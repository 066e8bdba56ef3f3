// The links of routers to and from external modules.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "model/types.h"
#include "routers/engine/external_link.h"
#include "routers/engine/flit.h"

namespace flitscope {

/// An output port to an external module: the FIFOs behind it as the sender knows them.
class ExternalLink final : public credit_if {
 public:
  /// Called with the virtual channel of a free slot; returns the first cycle of its use.
  using Credit = std::function<Cycle(unsigned vc)>;

  /// Returned slots are reported to `credit`.
  ExternalLink(FlitReceiver& receiver, Credit credit) : receiver_(receiver), credit_(std::move(credit)) {}
  ExternalLink(const ExternalLink&) = delete;
  ExternalLink& operator=(const ExternalLink&) = delete;

  /// Attaches this link to the receiver, of whose slots at most `buffer` are used. Returns the slots of each
  /// of `virtual_channels` FIFOs. Throws std::logic_error for a receiver without slots.
  std::vector<std::vector<Slot>>& attach(unsigned virtual_channels, std::uint32_t buffer);

  void put(unsigned vc, const LinkFlit& flit) { receiver_.put(vc, flit); }
  /// Throws std::logic_error for a credit without a flit.
  void credit(unsigned vc) override;

 private:
  FlitReceiver& receiver_;
  Credit credit_;
  std::vector<std::vector<Slot>> fifos_;  ///< per VC
  std::vector<std::uint32_t> front_;      ///< per VC, slot of the next credit
};

/// All external links of a network: rows of ports for the nodes that have any.
class ExternalLinks {
 public:
  explicit ExternalLinks(unsigned ports) : ports_(ports) {}

  ExternalLink& add(NodeId node, unsigned port, std::unique_ptr<ExternalLink> link) {
    return *(made(node, port).receiver = std::move(link));
  }
  /// The link of an output port. Requires that it leads to an external module.
  [[nodiscard]] ExternalLink& at(NodeId node, unsigned port) const {
    return *ends_[rows_[node] + port].receiver;
  }

  /// Sets the external sender of an input port.
  void add_sender(NodeId node, unsigned port, credit_if& sender) {
    made(node, port).sender = &sender;
    has_senders_ = true;
  }
  /// The external sender of an input port; nullptr if it has none.
  [[nodiscard]] credit_if* sender(NodeId node, unsigned port) const {
    return node < rows_.size() && rows_[node] != kNoRow ? ends_[rows_[node] + port].sender : nullptr;
  }
  [[nodiscard]] bool has_senders() const { return has_senders_; }
  /// True without external links.
  [[nodiscard]] bool empty() const { return ends_.empty(); }

 private:
  /// External receiver and sender of the ports of one number.
  struct Ends {
    std::unique_ptr<ExternalLink> receiver;
    credit_if* sender = nullptr;
  };
  static constexpr std::uint32_t kNoRow = 0xFFFFFFFF;

  Ends& made(NodeId node, unsigned port) {
    if (node >= rows_.size()) rows_.resize(std::size_t{node} + 1, kNoRow);
    if (rows_[node] == kNoRow) {
      rows_[node] = static_cast<std::uint32_t>(ends_.size());
      ends_.resize(ends_.size() + ports_);
    }
    return ends_[rows_[node] + port];
  }

  unsigned ports_;
  std::vector<std::uint32_t> rows_;  ///< by node, beginning of its row
  std::vector<Ends> ends_;           ///< a row holds one for each port
  bool has_senders_ = false;
};

}  // namespace flitscope

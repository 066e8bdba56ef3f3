// The links of routers to and from modules that are not ours.
#pragma once

#include <functional>
#include <memory>
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

/// All of a network: rows of ports, for the nodes that have any, found by index.
class ExternalLinks {
 public:
  explicit ExternalLinks(unsigned ports) : ports_(ports) {}

  ExternalLink& add(NodeId node, unsigned port, std::unique_ptr<ExternalLink> link) {
    return *(made(node, port).receiver = std::move(link));
  }
  /// Output port `port` of `node`. Requires that it leads to such a module.
  [[nodiscard]] ExternalLink& at(NodeId node, unsigned port) const {
    return *ends_[rows_[node] + port].receiver;
  }

  /// Such a module feeds input port `port` of `node`.
  void add_sender(NodeId node, unsigned port, credit_if& sender) {
    made(node, port).sender = &sender;
    has_senders_ = true;
  }
  /// Who feeds it; nullptr if it is not such a module.
  [[nodiscard]] credit_if* sender(NodeId node, unsigned port) const {
    return node < rows_.size() && rows_[node] != kNoRow ? ends_[rows_[node] + port].sender : nullptr;
  }
  [[nodiscard]] bool has_senders() const { return has_senders_; }
  /// Everything is ours.
  [[nodiscard]] bool empty() const { return ends_.empty(); }

 private:
  /// What is not ours at the output port and the input port of one number.
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
  std::vector<std::uint32_t> rows_;  ///< by node, where its row begins
  std::vector<Ends> ends_;           ///< a row holds one for each port
  bool has_senders_ = false;
};

}  // namespace flitscope

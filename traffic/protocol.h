// A request-reply protocol as a configuration describes it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model/machine.h"
#include "model/node_set.h"
#include "model/text.h"
#include "model/types.h"
#include "model/units.h"
#include "traffic/traffic.h"

namespace flitscope {

/// The protocols that nodes can follow.
enum class Protocol : std::uint8_t { request_reply };
template <>
inline constexpr std::array kNamesOf<Protocol>{"request-reply"};

/// How a target answers.
struct ServiceConfig {
  /// From the beginning of a service to the reply.
  Cycle latency = 0;
  /// Services that a target begins in a cycle; nothing: any number.
  std::optional<Decimal> rate;
  /// Requests that wait in the queue of a target; nothing: any number.
  std::optional<std::uint32_t> queue;
  /// Reads and writes have one queue and one service together.
  bool shared = true;
};

/// Requests and replies. docs/protocols.md describes the keys, docs/timing.md every cycle.
struct ProtocolConfig {
  Protocol protocol = Protocol::request_reply;
  /// A node issues the next request as soon as it may; otherwise requests are generated at the load of their
  /// traffic.
  bool closed_loop = true;
  /// Requests of a node that are not answered; nothing: any number.
  std::optional<std::uint32_t> outstanding = 16;
  /// Data of the messages, in bytes.
  std::uint64_t request = 8;
  std::uint64_t reply = 64;
  std::uint64_t write_request = 64;
  std::uint64_t write_reply = 8;
  /// The share of reads.
  Decimal reads{1};
  /// The nodes that answer and those that request.
  NodeSet targets;
  NodeSet sources;
  /// From a reply to the next request in its place.
  Cycle think = 0;
  /// Requests of a node in a run that ends when all are answered; nothing: the run is measured as traffic.
  std::optional<std::uint64_t> batch;
  ServiceConfig service;
  /// Name of the message class of replies, as TrafficConfig::message_class of requests; nothing: "reply" if
  /// the machine has a class of that name, else the first.
  std::optional<std::string> reply_class;
  /// The requests and the replies as traffic: sizes, loads and names of two classes (see offer).
  std::vector<TrafficConfig> offered;
};

/// Fills `protocol.offered`. The sizes of requests and of replies are those of reads, then those of writes,
/// unless there are none. The loads of a closed loop are those of one request per node and cycle.
void offer(ProtocolConfig& protocol, const TrafficConfig& requests, std::uint32_t flit_bytes);

/// The numbers of the message classes of requests and of replies. Requires `protocol.offered`.
[[nodiscard]] std::array<std::uint32_t, 2> message_classes(const ProtocolConfig& protocol,
                                                           const MachineConfig& machine);

/// Requests that go to some of the nodes, or come from some. Of all targets each is equally likely; otherwise
/// `inner` gives the target.
class RequestPattern final : public TrafficPattern {
 public:
  /// `targets` empty: those of `inner`; `sources` empty: all nodes. Both sorted.
  RequestPattern(std::unique_ptr<TrafficPattern> inner, std::vector<NodeId> targets,
                 std::vector<NodeId> sources, bool self);

  [[nodiscard]] NodeId destination(NodeId source, std::uint64_t index, RandomStream& random) const override;
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override;
  [[nodiscard]] double rate(NodeId source) const override;
  [[nodiscard]] std::optional<CommonShares> common_shares() const override;

 private:
  [[nodiscard]] bool requests(NodeId source) const;

  std::unique_ptr<TrafficPattern> inner_;
  std::vector<NodeId> targets_;
  std::vector<NodeId> sources_;
  bool self_;
};

/// The replies to the requests of a pattern: their shares and rates, for what is computed without a run. In a
/// run they go where the requests came from.
class ReplyPattern final : public TrafficPattern {
 public:
  /// Of requests without those to their own source, unless `self`.
  ReplyPattern(const TrafficPattern& requests, NodeId nodes, bool self);

  [[nodiscard]] NodeId destination(NodeId source, std::uint64_t index, RandomStream& random) const override;
  void for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const override;
  [[nodiscard]] double rate(NodeId source) const override { return replies_[source].rate; }
  /// Some node replies.
  [[nodiscard]] bool any() const;

 private:
  struct Share {
    NodeId requester = 0;
    double rate = 0;
  };
  struct Replies {
    std::vector<Share> shares;
    double rate = 0;
  };
  std::vector<Replies> replies_;  ///< by target
};

}  // namespace flitscope

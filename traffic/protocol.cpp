#include "traffic/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace flitscope {

namespace {

Decimal decimal(double value) {
  return *parse_decimal(fmt::format("{:.12f}", value)).value;
}

/// The sizes of reads and of writes, in this order, without those that do not occur.
MessageSizes sizes_of(const ProtocolConfig& protocol, std::uint64_t read, std::uint64_t write) {
  MessageSizes message;
  message.sizes.clear();
  if (protocol.reads > Decimal(0)) message.sizes.push_back({read, protocol.reads});
  if (protocol.reads < Decimal(1))
    message.sizes.push_back({write, decimal(1 - protocol.reads.approximate())});
  return message;
}

double mean_flits(const MessageSizes& message, std::uint32_t flit_bytes) {
  return mean_of(message, [&](std::uint64_t bytes) { return flits_of(bytes, flit_bytes); });
}

}  // namespace

void offer(ProtocolConfig& protocol, const TrafficConfig& requests, std::uint32_t flit_bytes) {
  protocol.offered.assign(2, requests);
  TrafficConfig& request = protocol.offered[0];
  TrafficConfig& reply = protocol.offered[1];
  request.name = "request";
  request.message = sizes_of(protocol, protocol.request, protocol.write_request);
  reply.name = "reply";
  reply.message_class = protocol.reply_class;
  reply.message = sizes_of(protocol, protocol.reply, protocol.write_reply);
  const double request_flits = mean_flits(request.message, flit_bytes);
  if (protocol.closed_loop) request.load = decimal(request_flits);
  reply.load = decimal(request.load.approximate() / request_flits * mean_flits(reply.message, flit_bytes));
}

std::array<std::uint32_t, 2> message_classes(const ProtocolConfig& protocol, const MachineConfig& machine) {
  const auto number = [&](const TrafficConfig& messages) {
    return class_number(machine, messages.message_class.value_or(messages.name)).value_or(0);
  };
  return {number(protocol.offered[0]), number(protocol.offered[1])};
}

RequestPattern::RequestPattern(std::unique_ptr<TrafficPattern> inner, std::vector<NodeId> targets,
                               std::vector<NodeId> sources, bool self)
    : inner_(std::move(inner)), targets_(std::move(targets)), sources_(std::move(sources)), self_(self) {}

bool RequestPattern::requests(NodeId source) const {
  if (!sources_.empty() && !std::ranges::binary_search(sources_, source)) return false;
  return self_ || targets_.size() != 1 || targets_.front() != source;
}

NodeId RequestPattern::destination(NodeId source, std::uint64_t index, RandomStream& random) const {
  if (targets_.empty()) return inner_->destination(source, index, random);
  const auto own = std::ranges::lower_bound(targets_, source);
  const bool skips = !self_ && own != targets_.end() && *own == source;
  const std::uint64_t drawn = random.below(targets_.size() - (skips ? 1 : 0));
  return targets_[drawn + (skips && drawn >= static_cast<std::uint64_t>(own - targets_.begin()) ? 1 : 0)];
}

void RequestPattern::for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const {
  if (!requests(source)) return;
  if (targets_.empty()) return inner_->for_each_share(source, visit);
  const bool skips = !self_ && std::ranges::binary_search(targets_, source);
  const double share = 1 / static_cast<double>(targets_.size() - (skips ? 1 : 0));
  for (const NodeId target : targets_) {
    if (!skips || target != source) visit(target, share);
  }
}

double RequestPattern::rate(NodeId source) const {
  return requests(source) ? inner_->rate(source) : 0;
}

std::optional<CommonShares> RequestPattern::common_shares() const {
  if (!targets_.empty() || !sources_.empty()) return std::nullopt;
  return inner_->common_shares();
}

ReplyPattern::ReplyPattern(const TrafficPattern& requests, NodeId nodes, bool self) : replies_(nodes) {
  for (NodeId source = 0; source < nodes; ++source) {
    requests.for_each_share(source, [&](NodeId target, double share) {
      const double rate = share * requests.rate(source);
      if (rate <= 0 || (target == source && !self)) return;
      auto& [shares, sum] = replies_[target];
      const bool continues = !shares.empty() && shares.back().end == source && shares.back().rate == rate;
      if (!continues) shares.push_back({source, source, rate});
      ++shares.back().end;
      sum += rate;
    });
  }
}

bool ReplyPattern::any() const {
  return std::ranges::any_of(replies_, [](const Replies& replies) { return replies.rate > 0; });
}

NodeId ReplyPattern::destination(NodeId /*source*/, std::uint64_t /*index*/, RandomStream& /*random*/) const {
  throw std::logic_error("a reply goes where its request came from");
}

void ReplyPattern::for_each_share(NodeId source, const std::function<void(NodeId, double)>& visit) const {
  for (const auto& [first, end, rate] : replies_[source].shares) {
    for (NodeId requester = first; requester < end; ++requester)
      visit(requester, rate / replies_[source].rate);
  }
}

}  // namespace flitscope

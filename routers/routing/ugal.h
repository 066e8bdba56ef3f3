// UGAL: at its source a message takes a minimal path or one over an intermediate place.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "model/bit_rows.h"
#include "routers/routing/routing.h"

namespace flitscope {

// Paths over an intermediate place, or straight to the destination, on networks where both are known.

/// A path has a first part, to the place of an intermediate node, and a second, minimal one to its
/// destination; or the second alone. Each part has classes of its own in which its links are ordered, so that
/// all links of first parts come before those of second ones. A place is a router with its nodes; of a
/// dragonfly a group.
class TwoPartPaths {
 public:
  virtual ~TwoPartPaths() = default;

  [[nodiscard]] virtual unsigned first_classes() const { return 1; }
  [[nodiscard]] virtual unsigned second_classes() const { return 1; }
  /// Builds the tables of the following functions.
  virtual void build_tables() = 0;

  [[nodiscard]] virtual std::uint32_t place(NodeId node) const = 0;
  /// A node without a link to others than its router.
  [[nodiscard]] virtual bool is_leaf(NodeId /*node*/) const { return false; }
  /// The next link to the place of `between`, from another place; its class is one of the first part's.
  [[nodiscard]] virtual Candidate first(NodeId node, NodeId between) const { return second(node, between); }
  /// The next link to a destination; its class is one of the second part's.
  [[nodiscard]] virtual Candidate second(NodeId node, NodeId destination) const = 0;
};

/// Of a torus, mesh, HyperX, flattened butterfly or dragonfly.
[[nodiscard]] std::unique_ptr<TwoPartPaths> two_part_paths(const Topology& topology);

/// Takes the path with the smaller product of links and of flits queued for the first of them. Classes are
/// those of minimal paths that can still be left (progressive), those of first parts, and those of second
/// parts, of which minimal paths are made. Links are ordered in this order.
class Ugal : public WithoutRoutes<AdaptiveRouting> {
 public:
  Ugal(const Topology& topology, bool progressive);

  unsigned classes() const final { return second_class() + paths_->second_classes(); }
  ClassMask escape_classes() const final { return (ClassMask{1} << classes()) - 1; }
  bool weighs() const final { return true; }

  void build_tables() final;
  void prepare(Head& head, NodeId source) const final {
    head.prepared = random_intermediate(topology(), source, head.destination, head.route.draw);
  }
  Candidate first_candidate(NodeId node, Arrival arrival, const Head& head) const final;
  void add_candidates(NodeId node, Arrival arrival, const Head& head,
                      std::vector<Candidate>& candidates) const final;
  const Candidate& lightest(NodeId node, const Head& head, std::span<const Candidate> candidates,
                            const LinkQueues& queues) const override;

  /// Links from `node` to the destination by one of two candidates there.
  [[nodiscard]] std::uint64_t links_by(NodeId node, const Head& head, Candidate candidate) const;

 protected:
  /// The first link of a candidate's path, from `node` to another place, that leaves the place of `node`.
  [[nodiscard]] ChannelId link_out(NodeId node, const Head& head, Candidate candidate) const;
  /// The candidate whose product of links and `queue(candidate)` is least, of equals the first.
  template <typename Queue>
  [[nodiscard]] const Candidate& least(NodeId node, const Head& head, std::span<const Candidate> candidates,
                                       Queue queue) const {
    return *std::ranges::min_element(candidates, {}, [&](const Candidate& candidate) {
      return std::uint64_t{queue(candidate)} * links_by(node, head, candidate);
    });
  }

 private:
  [[nodiscard]] unsigned second_class() const { return first_class_ + paths_->first_classes(); }
  [[nodiscard]] bool is_first_part(Candidate candidate) const {
    return candidate.channel_class >= first_class_ && candidate.channel_class < second_class();
  }
  [[nodiscard]] std::uint32_t place(NodeId node) const { return places_[node]; }
  [[nodiscard]] Candidate on_detour(NodeId node, NodeId between) const;
  [[nodiscard]] Candidate on_minimal(NodeId node, NodeId destination) const;
  [[nodiscard]] NodeId behind(NodeId node, Candidate candidate) const {
    return *topology().neighbour(node, candidate.port);
  }
  [[nodiscard]] bool is_undecided(NodeId node, Arrival arrival) const;
  [[nodiscard]] bool is_detour(NodeId node, NodeId between, NodeId destination) const;
  [[nodiscard]] std::uint64_t links(NodeId node, NodeId destination) const;
  [[nodiscard]] Candidate minimal(NodeId node, NodeId destination) const;

  std::unique_ptr<TwoPartPaths> paths_;
  std::vector<std::uint32_t> places_;  ///< by router: TwoPartPaths::place
  /// By input port, router by router: a leaf sends there; behind the last port: the router is no leaf.
  BitRows undecided_;
  unsigned first_class_;  ///< of first parts
};

}  // namespace flitscope

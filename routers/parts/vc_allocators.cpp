#include "routers/parts/vc_allocators.h"

#include <algorithm>
#include <bit>

#include "model/bits.h"

namespace flitscope {

namespace {

/// No VC could be granted to the head, whatever others do.
void fail(VcRequest& request) {
  request.taken = request.held;
  request.without_slots = request.admissible & ~request.held;
}

/// Stage 4 as it usually is: group by group, request by request.
class Circular final : public VcMatcher {
 public:
  explicit Circular(const RouterShape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t bytes() const override { return std::size_t{2} * groups(); }
  void allocate(std::uint8_t* state, std::span<VcRequest> requests) const override {
    for (unsigned group = 0; group < groups(); ++group) {
      allocate_group(state + std::size_t{2} * group, group, requests);
    }
  }

 private:
  [[nodiscard]] unsigned groups() const { return shape_.link_ports + shape_.networks; }
  void allocate_group(std::uint8_t* state, unsigned group, std::span<VcRequest> requests) const {
    const bool ejects = group >= shape_.link_ports;
    const unsigned first_vc = ejects ? shape_.link_vcs() : shape_.first_vc(group);
    const unsigned size = ejects ? shape_.channels * shape_.node_vcs : shape_.virtual_channels;
    const unsigned first_input = state[0];
    const auto turn = std::ranges::lower_bound(requests, first_input, {}, &VcRequest::input);
    const auto skipped = static_cast<std::size_t>(turn - requests.begin());
    std::uint64_t granted = 0;
    const auto answer = [&](VcRequest& request) {
      const std::uint64_t eligible = request.eligible & ~granted;
      if (eligible == 0) {
        fail(request);
        request.taken |= granted & request.admissible;
        request.without_slots &= ~granted;
        return;
      }
      const unsigned output = first_from(eligible, first_vc + state[1]);
      request.output = static_cast<std::uint8_t>(output);
      granted |= bit(output);
      state[0] = static_cast<std::uint8_t>((request.input + 1U) % shape_.vcs());
      state[1] = static_cast<std::uint8_t>((output - first_vc + 1) % size);
    };
    const std::uint8_t lowest = std::ranges::max(requests, {}, &VcRequest::priority).priority;
    for (unsigned priority = 0; priority <= lowest; ++priority) {
      for (std::size_t i = 0; i < requests.size(); ++i) {
        VcRequest& request = requests[(skipped + i) % requests.size()];
        if (request.group == group && request.priority == priority) answer(request);
      }
    }
  }

  RouterShape shape_;
};

/// Every head picks a VC, then every VC an input port and of that a head.
class SeparableInputFirst final : public VcMatcher {
 public:
  SeparableInputFirst(const RouterShape& shape, Arbiter arbiter)
      : shape_(shape),
        arbiters_(arbiter),
        by_age_(arbiter == Arbiter::age),
        places_(std::max((shape.virtual_channels + shape.fewest_classes - 1) / shape.fewest_classes,
                         shape.channels * shape.node_vcs)),
        pick_bytes_(arbiters_.bytes(places_)),
        port_bytes_(arbiters_.bytes(shape.ports())),
        vc_bytes_(arbiters_.bytes(shape.most_vcs_of_port())),
        output_bytes_(port_bytes_ + shape.ports() * vc_bytes_) {}

  [[nodiscard]] std::size_t bytes() const override {
    return shape_.vcs() * (shape_.classes * pick_bytes_ + output_bytes_);
  }

  void allocate(std::uint8_t* state, std::span<VcRequest> requests) const override {
    std::uint64_t picked = 0;
    for (VcRequest& request : requests) {
      if (request.eligible == 0) {
        fail(request);
        continue;
      }
      const unsigned place = arbiters_.pick(pick_of(state, request), places_, places(request));
      std::uint64_t vcs = request.admissible;
      for (unsigned i = 0; i < place; ++i) vcs &= vcs - 1;
      request.taken = vcs & -vcs;  // what it asks for
      picked |= request.taken;
    }
    for (; picked != 0; picked &= picked - 1) grant(state, lowest_bit(picked), requests);
  }

 private:
  /// Eligible VCs by their places among the admissible ones.
  static std::uint64_t places(const VcRequest& request) {
    std::uint64_t result = 0;
    unsigned place = 0;
    for (std::uint64_t left = request.admissible; left != 0; left &= left - 1, ++place) {
      if ((request.eligible & left & -left) != 0) result |= bit(place);
    }
    return result;
  }
  [[nodiscard]] std::uint8_t* pick_of(std::uint8_t* state, const VcRequest& request) const {
    return state + (request.input * shape_.classes + request.vc_class) * pick_bytes_;
  }

  void grant(std::uint8_t* state, unsigned output, std::span<VcRequest> requests) const {
    std::uint8_t* const by_port =
        state + shape_.vcs() * (shape_.classes * pick_bytes_) + output * output_bytes_;
    const auto asks = [&](const VcRequest& request) {
      return request.taken == bit(output) && request.eligible != 0;
    };
    std::uint64_t ports = 0;
    const VcRequest* oldest = nullptr;
    for (const VcRequest& request : requests) {
      if (!asks(request)) continue;
      ports |= bit(shape_.port_of(request.input));
      if (oldest == nullptr || request.rank < oldest->rank) oldest = &request;
    }
    const unsigned port =
        by_age_ ? shape_.port_of(oldest->input) : arbiters_.pick(by_port, shape_.ports(), ports);
    arbiters_.update(by_port, shape_.ports(), port);
    std::uint64_t vcs = 0;
    for (const VcRequest& request : requests) {
      if (asks(request) && shape_.port_of(request.input) == port)
        vcs |= bit(request.input - shape_.first_vc(port));
    }
    std::uint8_t* const by_vc = by_port + port_bytes_ + port * vc_bytes_;
    const unsigned vc =
        by_age_ ? oldest->input - shape_.first_vc(port) : arbiters_.pick(by_vc, shape_.vcs_of(port), vcs);
    arbiters_.update(by_vc, shape_.vcs_of(port), vc);
    VcRequest& winner = *std::ranges::find(requests, shape_.first_vc(port) + vc, &VcRequest::input);
    winner.output = static_cast<std::uint8_t>(output);
    const unsigned place = static_cast<unsigned>(std::popcount(winner.admissible & (bit(output) - 1)));
    arbiters_.update(pick_of(state, winner), places_, place);
  }

  RouterShape shape_;
  Arbiters arbiters_;
  bool by_age_;
  unsigned places_;  ///< that an input VC's arbiter has
  std::size_t pick_bytes_;
  std::size_t port_bytes_;
  std::size_t vc_bytes_;
  std::size_t output_bytes_;
};

/// Every head picks a VC, then every VC a head.
class SeparableInputFirstFlat final : public VcMatcher {
 public:
  SeparableInputFirstFlat(const RouterShape& shape, Arbiter arbiter)
      : vcs_(shape.vcs()),
        arbiters_(arbiter),
        by_age_(arbiter == Arbiter::age),
        arbiter_bytes_(arbiters_.bytes(vcs_)) {}

  [[nodiscard]] std::size_t bytes() const override { return std::size_t{2} * vcs_ * arbiter_bytes_; }
  void allocate(std::uint8_t* state, std::span<VcRequest> requests) const override {
    const auto pick_of = [&](unsigned input) { return state + input * arbiter_bytes_; };
    std::uint64_t picked = 0;
    for (VcRequest& request : requests) {
      if (request.eligible == 0) {
        fail(request);
        continue;
      }
      request.taken = bit(arbiters_.pick(pick_of(request.input), vcs_, request.eligible));
      picked |= request.taken;
    }
    for_each_bit(picked, [&](unsigned output) {
      std::uint64_t asking = 0;
      const VcRequest* oldest = nullptr;
      for (const VcRequest& request : requests) {
        if (request.taken != bit(output) || request.eligible == 0) continue;
        asking |= bit(request.input);
        if (oldest == nullptr || request.rank < oldest->rank) oldest = &request;
      }
      std::uint8_t* const grants = state + (vcs_ + output) * arbiter_bytes_;
      const unsigned input = by_age_ ? oldest->input : arbiters_.pick(grants, vcs_, asking);
      std::ranges::find(requests, input, &VcRequest::input)->output = static_cast<std::uint8_t>(output);
      arbiters_.update(grants, vcs_, input);
      arbiters_.update(pick_of(input), vcs_, output);
    });
  }

 private:
  unsigned vcs_;
  Arbiters arbiters_;
  bool by_age_;
  std::size_t arbiter_bytes_;
};

/// Rows are input VCs, columns output VCs.
class Wavefront final : public VcMatcher {
 public:
  explicit Wavefront(const RouterShape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t bytes() const override { return 1; }
  void allocate(std::uint8_t* state, std::span<VcRequest> requests) const override {
    const unsigned size = shape_.vcs();
    std::uint64_t free_columns = ~std::uint64_t{0};
    unsigned first = size;  // diagonal with a request, from the one with priority on
    for (VcRequest& request : requests) {
      if (request.eligible == 0) fail(request);
    }
    for (unsigned i = 0; i < size; ++i) {
      const unsigned diagonal = (*state + i) % size;
      for (VcRequest& request : requests) {
        const unsigned output = output_in((diagonal + size - request.input) % size);
        if ((request.eligible & bit(output)) == 0) continue;
        first = std::min(first, i);
        if (request.output != VcRequest::kNoVc || (free_columns & bit(output)) == 0) continue;
        request.output = static_cast<std::uint8_t>(output);
        free_columns &= ~bit(output);
      }
    }
    for (VcRequest& request : requests) {
      if (request.output == VcRequest::kNoVc && request.eligible != 0) request.taken = request.eligible;
    }
    if (first != size) *state = static_cast<std::uint8_t>((*state + first + 1) % size);
  }

 private:
  /// The output VC of a column.
  [[nodiscard]] unsigned output_in(unsigned column) const {
    const unsigned port = shape_.port_of(column);
    return shape_.first_vc(shape_.opposite(port)) + column - shape_.first_vc(port);
  }

  RouterShape shape_;
};

/// No head gets a VC before it wins the switch.
class Later final : public VcMatcher {
 public:
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  void allocate(std::uint8_t* /*state*/, std::span<VcRequest> requests) const override {
    for (VcRequest& request : requests) {
      if (request.eligible == 0) fail(request);
    }
  }
};

}  // namespace

std::unique_ptr<VcMatcher> VcMatcher::make(const RouterParts& parts, const RouterShape& shape) {
  switch (parts.vc_allocator) {
    case VcAllocator::separable_input_first:
      return std::make_unique<SeparableInputFirst>(shape, parts.arbiter);
    case VcAllocator::separable_input_first_flat:
      return std::make_unique<SeparableInputFirstFlat>(shape, parts.arbiter);
    case VcAllocator::wavefront:
      return std::make_unique<Wavefront>(shape);
    case VcAllocator::switch_winner:
      return std::make_unique<Later>();
    default:
      return std::make_unique<Circular>(shape);
  }
}

}  // namespace flitscope

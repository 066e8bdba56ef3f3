#include "routers/parts/vc_allocators.h"

#include <algorithm>

namespace flitscope {

namespace {

/// No VC could be granted to the head, whatever others do.
template <typename Vcs>
void fail(VcRequest<Vcs>& request) {
  request.taken = request.held;
  request.without_slots = request.admissible & ~request.held;
}

/// Stage 4 as it usually is: group by group, request by request.
template <typename Vcs>
class Circular final : public VcMatcher<Vcs> {
  using Request = VcRequest<Vcs>;

 public:
  explicit Circular(const RouterShape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t bytes() const override { return std::size_t{2} * groups(); }
  void allocate(std::uint8_t* state, std::span<Request> requests) const override {
    for (unsigned group = 0; group < groups(); ++group) {
      allocate_group(state + std::size_t{2} * group, group, requests);
    }
  }

 private:
  [[nodiscard]] unsigned groups() const { return shape_.link_ports + shape_.networks; }
  void allocate_group(std::uint8_t* state, unsigned group, std::span<Request> requests) const {
    const bool ejects = group >= shape_.link_ports;
    const unsigned first_vc = ejects ? shape_.link_vcs() : shape_.first_vc(group);
    const unsigned size = ejects ? shape_.channels * shape_.node_vcs : shape_.virtual_channels;
    const unsigned first_input = state[0];
    const auto turn = std::ranges::lower_bound(requests, first_input, {}, &Request::input);
    const auto skipped = static_cast<std::size_t>(turn - requests.begin());
    Vcs granted;
    const auto answer = [&](Request& request) {
      const Vcs eligible = request.eligible & ~granted;
      if (!eligible.any()) {
        fail(request);
        request.taken |= granted & request.admissible;
        request.without_slots &= ~granted;
        return;
      }
      const unsigned output = first_from(eligible, first_vc + state[1]);
      request.output = static_cast<std::uint16_t>(output);
      granted.add(output);
      state[0] = static_cast<std::uint8_t>((request.input + 1U) % shape_.vcs());
      state[1] = static_cast<std::uint8_t>((output - first_vc + 1) % size);
    };
    const std::uint8_t lowest = std::ranges::max(requests, {}, &Request::priority).priority;
    for (unsigned priority = 0; priority <= lowest; ++priority) {
      for (std::size_t i = 0; i < requests.size(); ++i) {
        Request& request = requests[(skipped + i) % requests.size()];
        if (request.group == group && request.priority == priority) answer(request);
      }
    }
  }

  RouterShape shape_;
};

/// Every head picks a VC, then every VC an input port and of that a head.
template <typename Vcs>
class SeparableInputFirst final : public VcMatcher<Vcs> {
  using Request = VcRequest<Vcs>;

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

  void allocate(std::uint8_t* state, std::span<Request> requests) const override {
    Vcs picked;
    for (Request& request : requests) {
      if (!request.eligible.any()) {
        fail(request);
        continue;
      }
      const unsigned place = arbiters_.pick(pick_of(state, request), places_, places(request));
      Vcs vcs = request.admissible;
      for (unsigned i = 0; i < place; ++i) vcs.remove(lowest_bit(vcs));
      request.taken = Vcs::of(lowest_bit(vcs));  // what it asks for
      picked |= request.taken;
    }
    for_each_bit(picked, [&](unsigned output) { grant(state, output, requests); });
  }

 private:
  /// Eligible VCs by their places among the admissible ones.
  static Vcs places(const Request& request) {
    Vcs result;
    unsigned place = 0;
    for_each_bit(request.admissible, [&](unsigned output) {
      if (request.eligible.has(output)) result.add(place);
      ++place;
    });
    return result;
  }
  [[nodiscard]] std::uint8_t* pick_of(std::uint8_t* state, const Request& request) const {
    return state + (request.input * shape_.classes + request.vc_class) * pick_bytes_;
  }

  void grant(std::uint8_t* state, unsigned output, std::span<Request> requests) const {
    std::uint8_t* const by_port =
        state + shape_.vcs() * (shape_.classes * pick_bytes_) + output * output_bytes_;
    const auto asks = [&](const Request& request) {
      return request.taken == Vcs::of(output) && request.eligible.any();
    };
    Vcs ports;
    const Request* oldest = nullptr;
    for (const Request& request : requests) {
      if (!asks(request)) continue;
      ports.add(shape_.port_of(request.input));
      if (oldest == nullptr || request.rank < oldest->rank) oldest = &request;
    }
    const unsigned port =
        by_age_ ? shape_.port_of(oldest->input) : arbiters_.pick(by_port, shape_.ports(), ports);
    arbiters_.update(by_port, shape_.ports(), port);
    Vcs vcs;
    for (const Request& request : requests) {
      if (asks(request) && shape_.port_of(request.input) == port)
        vcs.add(request.input - shape_.first_vc(port));
    }
    std::uint8_t* const by_vc = by_port + port_bytes_ + port * vc_bytes_;
    const unsigned vc =
        by_age_ ? oldest->input - shape_.first_vc(port) : arbiters_.pick(by_vc, shape_.vcs_of(port), vcs);
    arbiters_.update(by_vc, shape_.vcs_of(port), vc);
    Request& winner = *std::ranges::find(requests, shape_.first_vc(port) + vc, &Request::input);
    winner.output = static_cast<std::uint16_t>(output);
    unsigned place = 0;
    for_each_bit(winner.admissible, [&](unsigned other) { place += other < output ? 1 : 0; });
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
template <typename Vcs>
class SeparableInputFirstFlat final : public VcMatcher<Vcs> {
  using Request = VcRequest<Vcs>;

 public:
  SeparableInputFirstFlat(const RouterShape& shape, Arbiter arbiter)
      : vcs_(shape.vcs()),
        arbiters_(arbiter),
        by_age_(arbiter == Arbiter::age),
        arbiter_bytes_(arbiters_.bytes(vcs_)) {}

  [[nodiscard]] std::size_t bytes() const override { return std::size_t{2} * vcs_ * arbiter_bytes_; }
  void allocate(std::uint8_t* state, std::span<Request> requests) const override {
    const auto pick_of = [&](unsigned input) { return state + input * arbiter_bytes_; };
    Vcs picked;
    for (Request& request : requests) {
      if (!request.eligible.any()) {
        fail(request);
        continue;
      }
      request.taken = Vcs::of(arbiters_.pick(pick_of(request.input), vcs_, request.eligible));
      picked |= request.taken;
    }
    for_each_bit(picked, [&](unsigned output) {
      Vcs asking;
      const Request* oldest = nullptr;
      for (const Request& request : requests) {
        if (request.taken != Vcs::of(output) || !request.eligible.any()) continue;
        asking.add(request.input);
        if (oldest == nullptr || request.rank < oldest->rank) oldest = &request;
      }
      std::uint8_t* const grants = state + (vcs_ + output) * arbiter_bytes_;
      const unsigned input = by_age_ ? oldest->input : arbiters_.pick(grants, vcs_, asking);
      std::ranges::find(requests, input, &Request::input)->output = static_cast<std::uint16_t>(output);
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
template <typename Vcs>
class Wavefront final : public VcMatcher<Vcs> {
  using Request = VcRequest<Vcs>;

 public:
  explicit Wavefront(const RouterShape& shape) : shape_(shape) {}

  [[nodiscard]] std::size_t bytes() const override { return 1; }
  void allocate(std::uint8_t* state, std::span<Request> requests) const override {
    const unsigned size = shape_.vcs();
    Vcs taken;
    unsigned first = size;  // diagonal with a request, from the one with priority on
    for (Request& request : requests) {
      if (!request.eligible.any()) fail(request);
    }
    for (unsigned i = 0; i < size; ++i) {
      const unsigned diagonal = (*state + i) % size;
      for (Request& request : requests) {
        const unsigned output = output_in((diagonal + size - request.input) % size);
        if (!request.eligible.has(output)) continue;
        first = std::min(first, i);
        if (request.output != Request::kNoVc || taken.has(output)) continue;
        request.output = static_cast<std::uint16_t>(output);
        taken.add(output);
      }
    }
    for (Request& request : requests) {
      if (request.output == Request::kNoVc && request.eligible.any()) request.taken = request.eligible;
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
template <typename Vcs>
class Later final : public VcMatcher<Vcs> {
  using Request = VcRequest<Vcs>;

 public:
  [[nodiscard]] std::size_t bytes() const override { return 0; }
  void allocate(std::uint8_t* /*state*/, std::span<Request> requests) const override {
    for (Request& request : requests) {
      if (!request.eligible.any()) fail(request);
    }
  }
};

}  // namespace

template <typename Vcs>
std::unique_ptr<VcMatcher<Vcs>> VcMatcher<Vcs>::make(const RouterParts& parts, const RouterShape& shape) {
  switch (parts.vc_allocator) {
    case VcAllocator::separable_input_first:
      return std::make_unique<SeparableInputFirst<Vcs>>(shape, parts.arbiter);
    case VcAllocator::separable_input_first_flat:
      return std::make_unique<SeparableInputFirstFlat<Vcs>>(shape, parts.arbiter);
    case VcAllocator::wavefront:
      return std::make_unique<Wavefront<Vcs>>(shape);
    case VcAllocator::switch_winner:
      return std::make_unique<Later<Vcs>>();
    default:
      return std::make_unique<Circular<Vcs>>(shape);
  }
}
template class VcMatcher<VcSetOf<1>>;
template class VcMatcher<VcSet>;

}  // namespace flitscope

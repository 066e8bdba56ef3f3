#include "routers/parts/switch_allocators.h"

#include <array>
#include <bit>

#include "model/bits.h"
#include "routers/parts/arbiters.h"

namespace flitscope {

namespace {

using ByPort = std::array<std::uint64_t, kMaxVirtualChannels>;

/// What an allocator of requests of one priority finds.
struct Match {
  std::uint64_t winners = 0;  ///< input VCs
  std::uint64_t picked = 0;   ///< see SwitchGrants
  std::uint64_t asked = 0;    ///< output ports that were asked for
};

/// Matches input ports with output ports, requests of one priority.
class Matcher {
 public:
  Matcher(const RouterShape& shape, Arbiter arbiter) : shape_(shape), arbiters_(arbiter) {}
  virtual ~Matcher() = default;
  [[nodiscard]] virtual unsigned bytes() const = 0;
  [[nodiscard]] virtual Match match(std::uint8_t* state, std::uint64_t flits,
                                    std::span<const std::uint8_t> ports) const = 0;

 protected:
  [[nodiscard]] std::uint64_t vcs_of(unsigned port) const {
    return (bit(shape_.vcs_of(port)) - 1) << shape_.first_vc(port);
  }
  [[nodiscard]] unsigned vc_bytes() const { return arbiters_.bytes(shape_.most_vcs_of_port()); }
  [[nodiscard]] unsigned port_bytes() const { return arbiters_.bytes(shape_.ports()); }
  /// The choice of an input port among its VCs in `flits`.
  [[nodiscard]] unsigned pick_vc(const std::uint8_t* state, unsigned port, std::uint64_t flits) const {
    const unsigned first = shape_.first_vc(port);
    return first + arbiters_.pick(state, shape_.vcs_of(port), (flits & vcs_of(port)) >> first);
  }
  void update_vc(std::uint8_t* state, unsigned port, unsigned vc) const {
    arbiters_.update(state, shape_.vcs_of(port), vc - shape_.first_vc(port));
  }
  [[nodiscard]] unsigned pick_port(const std::uint8_t* state, std::uint64_t requests) const {
    return arbiters_.pick(state, shape_.ports(), requests);
  }
  void update_port(std::uint8_t* state, unsigned port) const {
    arbiters_.update(state, shape_.ports(), port);
  }
  /// The VCs of an input port that ask for an output port.
  [[nodiscard]] std::uint64_t asking(unsigned from, unsigned to, std::uint64_t flits,
                                     std::span<const std::uint8_t> ports) const {
    std::uint64_t result = 0;
    for_each_bit(flits & vcs_of(from), [&](unsigned vc) { result |= ports[vc] == to ? bit(vc) : 0; });
    return result;
  }
  /// Input ports by the output port that they ask for.
  [[nodiscard]] ByPort requests(std::uint64_t flits, std::span<const std::uint8_t> ports) const {
    ByPort result{};
    for_each_bit(flits, [&](unsigned vc) { result[ports[vc]] |= bit(shape_.port_of(vc)); });
    return result;
  }

  RouterShape shape_;
  Arbiters arbiters_;
};

class InputFirst final : public Matcher {
 public:
  using Matcher::Matcher;
  [[nodiscard]] unsigned bytes() const override { return shape_.ports() * (vc_bytes() + port_bytes()); }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            std::span<const std::uint8_t> ports) const override {
    return match(state, flits, 0, ports);
  }
  /// Flits of `low` count only where there are none of `high`.
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t high, std::uint64_t low,
                            std::span<const std::uint8_t> ports) const {
    Match result;
    for (unsigned port = 0; port < shape_.ports(); ++port) {
      const std::uint64_t first = high & vcs_of(port);
      const std::uint64_t flits = first != 0 ? first : low & vcs_of(port);
      if (flits != 0) result.picked |= bit(pick_vc(input(state, port), port, flits));
    }
    for (unsigned port = 0; port < shape_.ports(); ++port) {
      std::uint64_t from = 0;
      std::uint64_t from_low = 0;
      for_each_bit(result.picked, [&](unsigned vc) {
        if (ports[vc] == port) ((high & bit(vc)) != 0 ? from : from_low) |= bit(shape_.port_of(vc));
      });
      if (from == 0) from = from_low;
      if (from == 0) continue;
      result.asked |= bit(port);
      std::uint8_t* const output = state + shape_.ports() * vc_bytes() + port * port_bytes();
      const unsigned winner = pick_port(output, from);
      update_port(output, winner);
      const auto vc = lowest_bit(result.picked & vcs_of(winner));
      update_vc(input(state, winner), winner, vc);
      result.winners |= bit(vc);
    }
    return result;
  }

 private:
  [[nodiscard]] std::uint8_t* input(std::uint8_t* state, unsigned port) const {
    return state + port * vc_bytes();
  }
};

class OutputFirst final : public Matcher {
 public:
  using Matcher::Matcher;
  [[nodiscard]] unsigned bytes() const override { return shape_.ports() * (vc_bytes() + port_bytes()); }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            std::span<const std::uint8_t> ports) const override {
    Match result;
    std::uint8_t* const outputs = state + shape_.ports() * vc_bytes();
    const ByPort wanted = requests(flits, ports);
    ByPort offers{};  // by input port: VCs whose output port has picked it
    for (unsigned to = 0; to < shape_.ports(); ++to) {
      if (wanted[to] == 0) continue;
      result.asked |= bit(to);
      const unsigned from = pick_port(outputs + to * port_bytes(), wanted[to]);
      offers[from] |= asking(from, to, flits, ports);
    }
    for (unsigned from = 0; from < shape_.ports(); ++from) {
      if (offers[from] == 0) continue;
      std::uint8_t* const input = state + from * vc_bytes();
      const unsigned vc = pick_vc(input, from, offers[from]);
      update_vc(input, from, vc);
      update_port(outputs + ports[vc] * port_bytes(), from);
      result.winners |= bit(vc);
    }
    result.picked = result.winners;
    return result;
  }
};

class Islip final : public Matcher {
 public:
  Islip(const RouterShape& shape, Arbiter arbiter, unsigned iterations)
      : Matcher(shape, arbiter), iterations_(iterations) {}
  [[nodiscard]] unsigned bytes() const override { return shape_.ports() * (vc_bytes() + 2 * port_bytes()); }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            std::span<const std::uint8_t> ports) const override {
    Match result;
    std::uint8_t* const outputs = state + shape_.ports() * vc_bytes();
    std::uint8_t* const accepts = outputs + shape_.ports() * port_bytes();
    const ByPort wanted = requests(flits, ports);
    std::uint64_t free_inputs = ~std::uint64_t{0};
    std::uint64_t free_outputs = 0;
    for (unsigned to = 0; to < shape_.ports(); ++to) free_outputs |= wanted[to] != 0 ? bit(to) : 0;
    result.asked = free_outputs;
    for (unsigned iteration = 0; iteration < iterations_; ++iteration) {
      ByPort offers{};  // by input port: output ports that have picked it
      for_each_bit(free_outputs, [&](unsigned to) {
        const std::uint64_t from = wanted[to] & free_inputs;
        if (from != 0) offers[pick_port(outputs + to * port_bytes(), from)] |= bit(to);
      });
      bool any = false;
      for (unsigned from = 0; from < shape_.ports(); ++from) {
        if (offers[from] == 0) continue;
        any = true;
        const unsigned to = pick_port(accepts + from * port_bytes(), offers[from]);
        if (iteration == 0) {
          update_port(accepts + from * port_bytes(), to);
          update_port(outputs + to * port_bytes(), from);
        }
        free_inputs &= ~bit(from);
        free_outputs &= ~bit(to);
        std::uint8_t* const input = state + from * vc_bytes();
        const unsigned vc = pick_vc(input, from, asking(from, to, flits, ports));
        update_vc(input, from, vc);
        result.winners |= bit(vc);
      }
      if (!any) break;
    }
    result.picked = result.winners;
    return result;
  }

 private:
  unsigned iterations_;
};

/// Rows are input ports, columns output ports.
class SwitchWavefront final : public Matcher {
 public:
  using Matcher::Matcher;
  [[nodiscard]] unsigned bytes() const override { return 1 + shape_.ports() * vc_bytes(); }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            std::span<const std::uint8_t> ports) const override {
    Match result;
    const ByPort wanted = requests(flits, ports);
    const unsigned size = shape_.ports();
    std::uint64_t free_inputs = ~std::uint64_t{0};
    unsigned first = size;  // diagonal with a request, from the one with priority on
    for (unsigned i = 0; i < size; ++i) {
      for (unsigned column = 0; column < size; ++column) {
        const unsigned from = (*state + i + size - column) % size;
        const unsigned to = shape_.opposite(column);
        if ((wanted[to] & bit(from)) == 0) continue;
        if (first == size) first = i;
        if ((result.asked & bit(to)) != 0 || (free_inputs & bit(from)) == 0) continue;
        result.asked |= bit(to);  // and granted
        free_inputs &= ~bit(from);
        std::uint8_t* const input = state + 1 + from * vc_bytes();
        const unsigned vc = pick_vc(input, from, asking(from, to, flits, ports));
        update_vc(input, from, vc);
        result.winners |= bit(vc);
      }
    }
    if (first != size) *state = static_cast<std::uint8_t>((*state + first + 1) % size);
    for (unsigned to = 0; to < size; ++to) result.asked |= wanted[to] != 0 ? bit(to) : 0;
    result.picked = result.winners;
    return result;
  }
};

std::unique_ptr<Matcher> make_matcher(const RouterParts& parts, const RouterShape& shape) {
  switch (parts.switch_allocator) {
    case SwitchAllocator::separable_output_first:
      return std::make_unique<OutputFirst>(shape, parts.arbiter);
    case SwitchAllocator::wavefront:
      return std::make_unique<SwitchWavefront>(shape, parts.arbiter);
    case SwitchAllocator::islip:
      return std::make_unique<Islip>(shape, parts.arbiter, parts.switch_iterations);
    default:
      return std::make_unique<InputFirst>(shape, parts.arbiter);
  }
}

/// One allocator, in which heads without an output VC come last.
class Prioritised final : public SwitchMatcher {
 public:
  Prioritised(const RouterShape& shape, Arbiter arbiter) : matcher_(shape, arbiter) {}
  [[nodiscard]] unsigned bytes() const override { return matcher_.bytes(); }
  [[nodiscard]] SwitchGrants allocate(std::uint8_t* state, const SwitchRequests& requests) const override {
    const Match match = matcher_.match(state, requests.flits, requests.speculative, requests.ports);
    SwitchGrants grants{match.winners & (requests.flits | requests.valid), match.picked, 0};
    for_each_bit(match.winners, [&](unsigned vc) { grants.outputs |= bit(requests.ports[vc]); });
    return grants;
  }

 private:
  InputFirst matcher_;
};

/// Heads without an output VC, if they ask at all, have an allocator of their own.
class Separate final : public SwitchMatcher {
 public:
  Separate(const RouterShape& shape, const RouterParts& parts)
      : shape_(shape), speculation_(parts.speculation), matcher_(make_matcher(parts, shape)) {}
  [[nodiscard]] unsigned bytes() const override {
    return matcher_->bytes() * (speculation_ == Speculation::none ? 1 : 2);
  }
  [[nodiscard]] SwitchGrants allocate(std::uint8_t* state, const SwitchRequests& requests) const override {
    const Match match = matcher_->match(state, requests.flits, requests.ports);
    SwitchGrants grants{match.winners, match.picked};
    if (requests.speculative == 0) return grants;
    const Match heads = matcher_->match(state + matcher_->bytes(), requests.speculative, requests.ports);
    const bool by_grants = speculation_ == Speculation::grants;
    std::uint64_t outputs = by_grants ? 0 : match.asked;
    for_each_bit(by_grants ? match.winners : 0, [&](unsigned vc) { outputs |= bit(requests.ports[vc]); });
    std::uint64_t inputs = 0;  // ports that block a head
    for_each_bit(by_grants ? match.winners : requests.flits,
                 [&](unsigned vc) { inputs |= bit(shape_.port_of(vc)); });
    for_each_bit(heads.winners & requests.valid, [&](unsigned vc) {
      const bool blocked =
          (outputs >> requests.ports[vc] & 1) != 0 || (inputs >> shape_.port_of(vc) & 1) != 0;
      if (!blocked) grants.moved |= bit(vc);
    });
    // An input port's choice among heads matters if it has none among the others.
    std::uint64_t chosen = 0;
    for_each_bit(match.picked, [&](unsigned vc) { chosen |= bit(shape_.port_of(vc)); });
    for_each_bit(heads.picked, [&](unsigned vc) {
      grants.picked |= (chosen >> shape_.port_of(vc) & 1) != 0 ? 0 : bit(vc);
    });
    return grants;
  }

 private:
  RouterShape shape_;
  Speculation speculation_;
  std::unique_ptr<Matcher> matcher_;
};

}  // namespace

std::unique_ptr<SwitchMatcher> SwitchMatcher::make(const RouterParts& parts, const RouterShape& shape) {
  if (parts.speculation == Speculation::prioritised)
    return std::make_unique<Prioritised>(shape, parts.arbiter);
  return std::make_unique<Separate>(shape, parts);
}

}  // namespace flitscope

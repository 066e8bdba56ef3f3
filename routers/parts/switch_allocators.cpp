#include "routers/parts/switch_allocators.h"

#include <algorithm>
#include <array>

#include "model/bits.h"
#include "routers/parts/arbiters.h"

namespace flitscope {

namespace {

using ByPort = std::array<std::uint64_t, kMaxInputVcsOfParts>;

/// The inputs of the switch at which some input VCs are, and the outputs that they ask for.
std::uint64_t inputs_of(const RouterShape& shape, std::uint64_t vcs) {
  std::uint64_t result = 0;
  for_each_bit(vcs, [&](unsigned vc) { result |= bit(shape.input_of(vc)); });
  return result;
}
std::uint64_t outputs_of(const SwitchRequests& requests, std::uint64_t vcs) {
  std::uint64_t result = 0;
  for_each_bit(vcs, [&](unsigned vc) { result |= bit(requests.ports[vc]); });
  return result;
}

/// What an allocator finds for heads that speculate, or for other flits.
struct Match {
  std::uint64_t winners = 0;  ///< input VCs
  std::uint64_t picked = 0;   ///< see SwitchGrants
  std::uint64_t asked = 0;    ///< output ports that were asked for
};

/// Matches inputs of the switch with output ports, heads that speculate apart from other flits.
class Matcher {
 public:
  Matcher(const RouterShape& shape, Arbiter arbiter)
      : shape_(shape), arbiters_(arbiter), by_age_(arbiter == Arbiter::age) {
    for (unsigned input = 0; input < shape.inputs(); ++input) vcs_[input] = shape.mask_of_input(input);
  }
  virtual ~Matcher() = default;
  [[nodiscard]] virtual std::size_t bytes() const = 0;
  /// Some of the requests: `flits` are input VCs.
  [[nodiscard]] virtual Match match(std::uint8_t* state, std::uint64_t flits,
                                    const SwitchRequests& requests) const = 0;

 protected:
  [[nodiscard]] unsigned inputs() const { return shape_.inputs(); }
  [[nodiscard]] unsigned outputs() const { return shape_.outputs(); }
  [[nodiscard]] std::uint64_t vcs_of(unsigned input) const { return vcs_[input]; }
  /// Of an arbiter over the VCs of an input, over inputs, over output ports.
  [[nodiscard]] std::size_t vc_bytes() const { return arbiters_.bytes(shape_.most_vcs_of_port()); }
  [[nodiscard]] std::size_t input_bytes() const { return arbiters_.bytes(inputs()); }
  [[nodiscard]] std::size_t output_bytes() const { return arbiters_.bytes(outputs()); }

  /// The choice of an input among its VCs in `flits`.
  [[nodiscard]] unsigned pick_vc(const std::uint8_t* state, unsigned input, std::uint64_t flits,
                                 const SwitchRequests& requests) const {
    flits = of_highest_priority(flits & vcs_of(input), requests.priorities);
    if (by_age_) return oldest(flits, requests);
    const unsigned first = shape_.first_vc_of_input(input);
    std::uint64_t places = 0;
    for_each_bit(flits, [&](unsigned vc) { places |= bit((vc - first) / shape_.input_speedup); });
    return first + arbiters_.pick(state, shape_.vcs_of_input(input), places) * shape_.input_speedup;
  }
  void update_vc(std::uint8_t* state, unsigned input, unsigned vc) const {
    const unsigned place = (vc - shape_.first_vc_of_input(input)) / shape_.input_speedup;
    arbiters_.update(state, shape_.vcs_of_input(input), place);
  }
  /// The choice of an output port among inputs whose `flits` request it.
  [[nodiscard]] unsigned pick_input(const std::uint8_t* state, std::uint64_t from, unsigned to,
                                    std::uint64_t flits, const SwitchRequests& requests) const {
    if (!by_age_ && requests.priorities.empty()) return arbiters_.pick(state, inputs(), from);
    std::uint64_t asking = 0;
    for_each_bit(from, [&](unsigned input) { asking |= this->asking(input, to, flits, requests); });
    asking = of_highest_priority(asking, requests.priorities);
    return by_age_ ? shape_.input_of(oldest(asking, requests))
                   : arbiters_.pick(state, inputs(), inputs_of(shape_, asking));
  }
  void update_input(std::uint8_t* state, unsigned input) const { arbiters_.update(state, inputs(), input); }
  /// The choice of an input among the output ports that its `flits` request.
  [[nodiscard]] unsigned pick_output(const std::uint8_t* state, std::uint64_t flits,
                                     const SwitchRequests& requests) const {
    const std::uint64_t wanted = outputs_of(requests, of_highest_priority(flits, requests.priorities));
    return arbiters_.pick(state, outputs(), wanted);
  }
  void update_output(std::uint8_t* state, unsigned output) const {
    arbiters_.update(state, outputs(), output);
  }
  /// The VCs of an input that request an output port.
  [[nodiscard]] std::uint64_t asking(unsigned from, unsigned to, std::uint64_t flits,
                                     const SwitchRequests& requests) const {
    std::uint64_t result = 0;
    for_each_bit(flits & vcs_of(from),
                 [&](unsigned vc) { result |= requests.ports[vc] == to ? bit(vc) : 0; });
    return result;
  }
  /// Inputs by the output port that they request.
  [[nodiscard]] ByPort by_output(std::uint64_t flits, const SwitchRequests& requests) const {
    ByPort result{};
    for_each_bit(flits, [&](unsigned vc) { result[requests.ports[vc]] |= bit(shape_.input_of(vc)); });
    return result;
  }

 private:
  [[nodiscard]] static unsigned oldest(std::uint64_t flits, const SwitchRequests& requests) {
    unsigned result = lowest_bit(flits);
    for_each_bit(flits, [&](unsigned vc) {
      if (requests.ranks[vc] < requests.ranks[result]) result = vc;
    });
    return result;
  }

 protected:
  RouterShape shape_;
  Arbiters arbiters_;

 private:
  bool by_age_;
  ByPort vcs_{};  ///< by input
};

class InputFirst final : public Matcher {
 public:
  using Matcher::Matcher;
  [[nodiscard]] std::size_t bytes() const override {
    return inputs() * vc_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    return match(state, flits, 0, requests);
  }
  /// Flits of `low` count only where there are none of `high`.
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t high, std::uint64_t low,
                            const SwitchRequests& requests) const {
    Match result;
    for (unsigned input = 0; input < inputs(); ++input) {
      const std::uint64_t first = high & vcs_of(input);
      const std::uint64_t flits = first != 0 ? first : low & vcs_of(input);
      if (flits != 0) result.picked |= bit(pick_vc(state + input * vc_bytes(), input, flits, requests));
    }
    const ByPort wanted = by_output(result.picked & high, requests);
    const ByPort wanted_low = by_output(result.picked & ~high, requests);
    for (unsigned to = 0; to < outputs(); ++to) {
      const std::uint64_t from = wanted[to] != 0 ? wanted[to] : wanted_low[to];
      if (from == 0) continue;
      result.asked |= bit(to);
      std::uint8_t* const output = state + inputs() * vc_bytes() + to * input_bytes();
      const unsigned winner = pick_input(output, from, to, result.picked, requests);
      update_input(output, winner);
      const auto vc = lowest_bit(result.picked & vcs_of(winner));
      update_vc(state + winner * vc_bytes(), winner, vc);
      result.winners |= bit(vc);
    }
    return result;
  }
};

/// A matcher in which pairs of an input and an output port are found first, then the VC of each.
class PairMatcher : public Matcher {
 public:
  using Matcher::Matcher;

 protected:
  [[nodiscard]] std::size_t bytes_of_vcs() const { return inputs() * vc_bytes(); }
  /// The input sends a flit to the output port.
  void move(std::uint8_t* state, unsigned from, unsigned to, std::uint64_t flits,
            const SwitchRequests& requests, Match& match) const {
    std::uint8_t* const input = state + from * vc_bytes();
    const unsigned vc = pick_vc(input, from, asking(from, to, flits, requests), requests);
    update_vc(input, from, vc);
    match.winners |= bit(vc);
    match.picked |= bit(vc);
  }
  /// Calls match_equal(flits) for the flits of every priority from the highest on, without those whose input
  /// or output port has a match by then.
  template <typename MatchEqual>
  void match_by_priority(std::uint64_t flits, const SwitchRequests& requests, const Match& match,
                         MatchEqual match_equal) const {
    while (flits != 0) {
      const std::uint64_t equal = of_highest_priority(flits, requests.priorities);
      match_equal(equal);
      flits &= ~equal;
      if (flits == 0) return;
      const std::uint64_t inputs = inputs_of(shape_, match.winners);
      const std::uint64_t outputs = outputs_of(requests, match.winners);
      for_each_bit(flits, [&](unsigned vc) {
        if ((inputs >> shape_.input_of(vc) & 1) != 0 || (outputs >> requests.ports[vc] & 1) != 0)
          flits &= ~bit(vc);
      });
    }
  }
};

class InputFirstPorts final : public PairMatcher {
 public:
  using PairMatcher::PairMatcher;
  [[nodiscard]] std::size_t bytes() const override {
    return bytes_of_vcs() + inputs() * output_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    Match result;
    std::uint8_t* const picks = state + bytes_of_vcs();  // by input
    std::uint8_t* const grants = picks + inputs() * output_bytes();
    ByPort offered{};  // by output port: inputs
    for_each_bit(inputs_of(shape_, flits), [&](unsigned from) {
      const unsigned to = pick_output(picks + from * output_bytes(), flits & vcs_of(from), requests);
      offered[to] |= bit(from);
      result.asked |= bit(to);
    });
    for_each_bit(result.asked, [&](unsigned to) {
      const unsigned from = pick_input(grants + to * input_bytes(), offered[to], to, flits, requests);
      update_input(grants + to * input_bytes(), from);
      update_output(picks + from * output_bytes(), to);
      move(state, from, to, flits, requests, result);
    });
    return result;
  }
};

class OutputFirst final : public Matcher {
 public:
  using Matcher::Matcher;
  [[nodiscard]] std::size_t bytes() const override {
    return inputs() * vc_bytes() + outputs() * input_bytes();
  }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    Match result;
    std::uint8_t* const grants = state + inputs() * vc_bytes();
    const ByPort wanted = by_output(flits, requests);
    ByPort offers{};  // by input: VCs whose output port has picked it
    result.asked = outputs_of(requests, flits);
    for_each_bit(result.asked, [&](unsigned to) {
      const unsigned from = pick_input(grants + to * input_bytes(), wanted[to], to, flits, requests);
      offers[from] |= asking(from, to, flits, requests);
    });
    for (unsigned from = 0; from < inputs(); ++from) {
      if (offers[from] == 0) continue;
      std::uint8_t* const input = state + from * vc_bytes();
      const unsigned vc = pick_vc(input, from, offers[from], requests);
      update_vc(input, from, vc);
      update_input(grants + requests.ports[vc] * input_bytes(), from);
      result.winners |= bit(vc);
    }
    result.picked = result.winners;
    return result;
  }
};

class Islip final : public PairMatcher {
 public:
  Islip(const RouterShape& shape, Arbiter arbiter, unsigned iterations)
      : PairMatcher(shape, arbiter), iterations_(iterations) {}
  [[nodiscard]] std::size_t bytes() const override {
    return bytes_of_vcs() + outputs() * input_bytes() + inputs() * output_bytes();
  }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    Match result;
    std::uint8_t* const grants = state + bytes_of_vcs();
    std::uint8_t* const accepts = grants + outputs() * input_bytes();
    const ByPort wanted = by_output(flits, requests);
    std::uint64_t free_inputs = ~std::uint64_t{0};
    result.asked = outputs_of(requests, flits);
    std::uint64_t free_outputs = result.asked;
    for (unsigned iteration = 0; iteration < iterations_; ++iteration) {
      ByPort offers{};  // by input: VCs whose output port has picked it
      for_each_bit(free_outputs, [&](unsigned to) {
        const std::uint64_t from = wanted[to] & free_inputs;
        if (from == 0) return;
        const unsigned input = pick_input(grants + to * input_bytes(), from, to, flits, requests);
        offers[input] |= asking(input, to, flits, requests);
      });
      bool any = false;
      for (unsigned from = 0; from < inputs(); ++from) {
        if (offers[from] == 0) continue;
        any = true;
        const unsigned to = pick_output(accepts + from * output_bytes(), offers[from], requests);
        if (iteration == 0) {
          update_output(accepts + from * output_bytes(), to);
          update_input(grants + to * input_bytes(), from);
        }
        free_inputs &= ~bit(from);
        free_outputs &= ~bit(to);
        move(state, from, to, flits, requests, result);
      }
      if (!any) break;
    }
    return result;
  }

 private:
  unsigned iterations_;
};

/// Rows are inputs, columns output ports.
class SwitchWavefront final : public PairMatcher {
 public:
  using PairMatcher::PairMatcher;
  [[nodiscard]] std::size_t bytes() const override { return bytes_of_vcs() + 1; }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    Match result;
    std::uint8_t& priority = state[bytes_of_vcs()];
    const unsigned size = std::max(inputs(), outputs());
    unsigned first = size;  // diagonal with a request, from the one with priority on
    // Calls visit(from, to) for the elements.
    const auto for_each_element = [&](const ByPort& wanted, auto visit) {
      for (unsigned i = 0; i < size; ++i) {
        for (unsigned column = 0; column < outputs(); ++column) {
          const unsigned from = (priority + i + size - column) % size;
          const unsigned to = shape_.opposite_output(column);
          if ((wanted[to] & bit(from)) == 0) continue;
          first = std::min(first, i);
          visit(from, to);
        }
      }
    };
    match_by_priority(flits, requests, result, [&](std::uint64_t equal) {
      std::uint64_t taken_inputs = 0;
      std::uint64_t taken_outputs = 0;
      for_each_element(by_output(equal, requests), [&](unsigned from, unsigned to) {
        if ((taken_outputs & bit(to)) != 0 || (taken_inputs & bit(from)) != 0) return;
        taken_outputs |= bit(to);
        taken_inputs |= bit(from);
        move(state, from, to, equal, requests, result);
      });
    });
    if (!requests.priorities.empty()) for_each_element(by_output(flits, requests), [](unsigned, unsigned) {});
    if (first != size) priority = static_cast<std::uint8_t>((priority + first + 1) % size);
    result.asked = outputs_of(requests, flits);
    return result;
  }
};

/// As many pairs as possible, by augmenting paths.
class MaxSize final : public PairMatcher {
 public:
  using PairMatcher::PairMatcher;
  [[nodiscard]] std::size_t bytes() const override { return bytes_of_vcs() + 1; }
  [[nodiscard]] Match match(std::uint8_t* state, std::uint64_t flits,
                            const SwitchRequests& requests) const override {
    Match result;
    if (flits == 0) return result;
    std::uint8_t& first = state[bytes_of_vcs()];
    match_by_priority(flits, requests, result, [&](std::uint64_t equal) {
      ByPort wanted{};  // by input: output ports
      for_each_bit(equal, [&](unsigned vc) { wanted[shape_.input_of(vc)] |= bit(requests.ports[vc]); });
      Pairs pairs{};
      for (unsigned i = 0; i < inputs(); ++i) {
        std::uint64_t visited = 0;
        find_output((first + i) % inputs(), wanted, visited, pairs);
      }
      for_each_bit(pairs.outputs,
                   [&](unsigned to) { move(state, pairs.input_of[to], to, equal, requests, result); });
    });
    first = static_cast<std::uint8_t>((first + 1) % inputs());
    result.asked = outputs_of(requests, flits);
    return result;
  }

 private:
  struct Pairs {
    std::uint64_t outputs = 0;
    std::array<std::uint8_t, kMaxInputVcsOfParts> input_of{};
  };
  /// Finds an output port for one more input; inputs before may get another one. Returns false without any.
  static bool find_output(unsigned from, const ByPort& wanted, std::uint64_t& visited, Pairs& pairs) {
    for (std::uint64_t left = wanted[from] & ~visited; left != 0; left = (left & (left - 1)) & ~visited) {
      const unsigned to = lowest_bit(left);
      visited |= bit(to);
      const bool taken = (pairs.outputs & bit(to)) != 0;
      if (taken && !find_output(pairs.input_of[to], wanted, visited, pairs)) continue;
      pairs.outputs |= bit(to);
      pairs.input_of[to] = static_cast<std::uint8_t>(from);
      return true;
    }
    return false;
  }
};

std::unique_ptr<Matcher> make_matcher(const RouterParts& parts, const RouterShape& shape) {
  switch (parts.switch_allocator) {
    case SwitchAllocator::separable_input_first_ports:
      return std::make_unique<InputFirstPorts>(shape, parts.arbiter);
    case SwitchAllocator::separable_output_first:
      return std::make_unique<OutputFirst>(shape, parts.arbiter);
    case SwitchAllocator::wavefront:
      return std::make_unique<SwitchWavefront>(shape, parts.arbiter);
    case SwitchAllocator::islip:
      return std::make_unique<Islip>(shape, parts.arbiter, parts.switch_iterations);
    case SwitchAllocator::max_size:
      return std::make_unique<MaxSize>(shape, parts.arbiter);
    default:
      return std::make_unique<InputFirst>(shape, parts.arbiter);
  }
}

/// One allocator, in which heads without an output VC come last.
class Prioritised final : public SwitchMatcher {
 public:
  Prioritised(const RouterShape& shape, Arbiter arbiter) : matcher_(shape, arbiter) {}
  [[nodiscard]] std::size_t bytes() const override { return matcher_.bytes(); }
  [[nodiscard]] SwitchGrants allocate(std::uint8_t* state, const SwitchRequests& requests) const override {
    const Match match = matcher_.match(state, requests.flits, requests.speculative, requests);
    return {match.winners & (requests.flits | requests.valid), match.picked,
            outputs_of(requests, match.winners)};
  }

 private:
  InputFirst matcher_;
};

/// Heads without an output VC, if they ask at all, have an allocator of their own.
class Separate final : public SwitchMatcher {
 public:
  Separate(const RouterShape& shape, const RouterParts& parts)
      : shape_(shape), speculation_(parts.speculation), matcher_(make_matcher(parts, shape)) {}
  [[nodiscard]] std::size_t bytes() const override {
    return matcher_->bytes() * (speculation_ == Speculation::none ? 1 : 2);
  }
  [[nodiscard]] SwitchGrants allocate(std::uint8_t* state, const SwitchRequests& requests) const override {
    const Match match = matcher_->match(state, requests.flits, requests);
    SwitchGrants grants{match.winners, match.picked};
    if (requests.speculative == 0) return grants;
    const Match heads = matcher_->match(state + matcher_->bytes(), requests.speculative, requests);
    const bool by_grants = speculation_ == Speculation::grants;
    // Outputs and inputs that block a head.
    const std::uint64_t outputs = by_grants ? outputs_of(requests, match.winners) : match.asked;
    const std::uint64_t inputs = inputs_of(shape_, by_grants ? match.winners : requests.flits);
    for_each_bit(heads.winners & requests.valid, [&](unsigned vc) {
      const bool blocked =
          (outputs >> requests.ports[vc] & 1) != 0 || (inputs >> shape_.input_of(vc) & 1) != 0;
      if (!blocked) grants.moved |= bit(vc);
    });
    // An input port's choice among heads matters if it has none among the others.
    const std::uint64_t chosen = inputs_of(shape_, match.picked);
    for_each_bit(heads.picked, [&](unsigned vc) {
      grants.picked |= (chosen >> shape_.input_of(vc) & 1) != 0 ? 0 : bit(vc);
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

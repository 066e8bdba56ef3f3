// Where the links of a twisted torus lead: for the network and for its routing function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace flitscope {

class TwistedTorus {
 public:
  TwistedTorus(std::vector<std::uint32_t> shape, std::uint32_t twist)
      : shape_(std::move(shape)), twist_(twist) {}

  [[nodiscard]] const std::vector<std::uint32_t>& shape() const { return shape_; }

  /// The place one link on in direction + of a dimension. A link that wraps round leads `twist` places on in
  /// the dimensions before it; of three dimensions in those of them that are longer. Directions commute.
  [[nodiscard]] std::vector<std::uint32_t> next(std::vector<std::uint32_t> at, std::size_t dimension) const {
    move(at, dimension, 1);
    return at;
  }

 private:
  void move(std::vector<std::uint32_t>& at, std::size_t dimension, std::uint32_t links) const {
    at[dimension] += links;
    for (; at[dimension] >= shape_[dimension]; at[dimension] -= shape_[dimension]) {
      for (std::size_t other = 0; other < dimension; ++other) {
        if (shape_.size() == 2 || shape_[other] > shape_[dimension]) move(at, other, twist_);
      }
    }
  }

  std::vector<std::uint32_t> shape_;
  std::uint32_t twist_;
};

}  // namespace flitscope

// A place in a drawing.
#pragma once

namespace flitscope {

/// Neighbours on a grid are 1 apart; x grows to the right, y downwards.
struct Point {
  double x = 0;
  double y = 0;
  bool operator==(const Point&) const = default;
};

}  // namespace flitscope

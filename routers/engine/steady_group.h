// A group in which a cycle is like the one before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "routers/engine/planes.h"

namespace flitscope {

/// What a group does in each cycle while no head, tail or new message comes and as many flits arrive in each
/// input VC as leave: the same events are posted, and only the numbers of flits left and of usable slots
/// change, those of flits for several cycles at once.
struct SteadyGroup {
  /// An event of a group in a coming cycle.
  struct Post {
    Plane* word;  ///< in the first cycle of the wheel
    Plane routers;
    std::uint32_t group;
  };
  /// Those of one cycle.
  using Posts = std::vector<Post>;

  bool has_posts = false;       ///< `posts` are those of the moves of the last traversal
  std::uint32_t cycles = 0;     ///< that can pass before a tail leaves
  std::uint32_t passed = 0;     ///< of these, those whose flits are not subtracted from those left
  std::uint32_t flit_hops = 0;  ///< of a cycle
  std::vector<Posts> posts;     ///< of flits and of credits by number of a link's delay, then of slots

  void add(std::size_t list, const Post& post) {
    const auto same = find(list, post.word);
    if (same == posts[list].end()) {
      posts[list].push_back(post);
    } else {
      same->routers |= post.routers;
    }
  }
  void remove(std::size_t list, const Post& post) {
    const auto same = find(list, post.word);
    if (same == posts[list].end()) throw std::logic_error("a flit that moves has not posted anything");
    same->routers &= ~post.routers;
    if (same->routers != 0) return;
    *same = posts[list].back();
    posts[list].pop_back();
  }

 private:
  [[nodiscard]] Posts::iterator find(std::size_t list, const Plane* word) {
    return std::ranges::find(posts[list], word, &Post::word);
  }
};

}  // namespace flitscope

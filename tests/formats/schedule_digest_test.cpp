// The digest by which a schedule file is known.
#include "sim/formats/schedule_lines.h"

#include <gtest/gtest.h>

#include <sstream>

namespace flitscope {
namespace {

// FIPS 180-2, appendix B.
TEST(ScheduleDigest, Digest_IsSha256) {
  std::istringstream abc("abc");
  EXPECT_EQ(schedule_digest(abc), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::istringstream nothing;
  EXPECT_EQ(schedule_digest(nothing),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  std::istringstream million(std::string(1'000'000, 'a'));
  EXPECT_EQ(schedule_digest(million),
            "sha256:cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(ScheduleDigest, Stream_IsCopiedWhileRead) {
  const std::string text(200'000, 'x');
  std::istringstream stream(text);
  std::ostringstream copy;
  static_cast<void>(schedule_digest(stream, &copy));
  EXPECT_EQ(copy.str(), text);
}

}  // namespace
}  // namespace flitscope

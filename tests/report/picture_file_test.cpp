// PNG of SVG, and what is said where it cannot be made.
#include "sim/report/picture_file.h"

#include <gtest/gtest.h>

#include "model/error.h"

namespace flitscope::test::picture_file_test {
namespace {

TEST(PictureFile, WithoutTheProgramItIsNamed) {
  try {
    static_cast<void>(png_of("<svg/>", "no-such-program"));
    FAIL();
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find("librsvg2-bin"), std::string::npos);
  }
}

TEST(PictureFile, AProgramThatFailsLeavesNothing) {
  EXPECT_THROW(static_cast<void>(png_of("<svg/>", "false")), OutputError);
}

}  // namespace
}  // namespace flitscope::test::picture_file_test

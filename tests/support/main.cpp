// SystemC brings a main() of its own; ours runs GoogleTest and nothing else.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

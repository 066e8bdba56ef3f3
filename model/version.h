// The version of flitscope. It stands here and nowhere else: CMake, the packages and `flitscope --version`
// take it from here.
#pragma once

#define FLITSCOPE_VERSION_MAJOR 1
#define FLITSCOPE_VERSION_MINOR 0
#define FLITSCOPE_VERSION_PATCH 0
#define FLITSCOPE_VERSION "1.0.0"

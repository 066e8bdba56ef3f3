// The version of flitscope, read by CMake, the packages and `flitscope --version`.
#pragma once

#define FLITSCOPE_VERSION_MAJOR 1
#define FLITSCOPE_VERSION_MINOR 0
#define FLITSCOPE_VERSION_PATCH 0

/// "1.0.0", a string literal.
#define FLITSCOPE_VERSION \
  FLITSCOPE_VERSION_TEXT(FLITSCOPE_VERSION_MAJOR, FLITSCOPE_VERSION_MINOR, FLITSCOPE_VERSION_PATCH)
#define FLITSCOPE_VERSION_TEXT(major, minor, patch) FLITSCOPE_VERSION_JOINED(major, minor, patch)
#define FLITSCOPE_VERSION_JOINED(major, minor, patch) #major "." #minor "." #patch

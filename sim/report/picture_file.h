// Pictures in files: SVG, or PNG made of it.
#pragma once

#include <filesystem>
#include <string>

#include "sim/report/output_file.h"

namespace flitscope {

/// Two dots for each unit of the picture, by the program rsvg-convert (Debian package librsvg2-bin). Throws
/// OutputError if that is missing or fails.
[[nodiscard]] std::string png_of(const std::string& svg, const std::string& program = "rsvg-convert");

/// Writes PNG if the file is called so, and SVG otherwise.
void write_picture(const std::filesystem::path& file, const std::string& svg, Existing existing);

}  // namespace flitscope

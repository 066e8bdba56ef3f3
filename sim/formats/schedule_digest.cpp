#include "sim/formats/schedule_digest.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <vector>

namespace flitscope {

std::string schedule_digest(std::istream& stream, std::ostream* copy) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (context == nullptr) throw std::bad_alloc();
  if (EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("this machine's OpenSSL has no SHA-256");
  }
  std::vector<char> part(std::size_t{1} << 16);
  while (stream.read(part.data(), static_cast<std::streamsize>(part.size())), stream.gcount() > 0) {
    const auto bytes = static_cast<std::size_t>(stream.gcount());
    EVP_DigestUpdate(context.get(), part.data(), bytes);
    if (copy != nullptr) copy->write(part.data(), stream.gcount());
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned length = 0;
  EVP_DigestFinal_ex(context.get(), digest.data(), &length);
  std::string text = "sha256:";
  for (const unsigned char byte : std::span(digest).first(length)) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace flitscope

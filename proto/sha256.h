/* SHA-256 as text, for hashes that other tools (CMake, sha256sum) compute as well. */
#ifndef LS_SHA256_H
#define LS_SHA256_H

#include <lockstep/base.h>

#define LS_SHA256_TEXT_BYTES 65

/* Writes the hash as 64 lower-case hexadecimal digits and a zero. */
LS_API void ls_sha256_text(const void *data, size_t count, char text[LS_SHA256_TEXT_BYTES]);

#endif

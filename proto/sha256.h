/* SHA-256 as text, for a hash that other tools compute as well (CMake, sha256sum). */
#ifndef LS_SHA256_H
#define LS_SHA256_H

#include <lockstep/base.h>

#define LS_SHA256_TEXT_BYTES 65

/* 64 lower-case hexadecimal digits and a zero. */
LS_API void ls_sha256_text(const void *data, size_t count, char text[LS_SHA256_TEXT_BYTES]);

#endif

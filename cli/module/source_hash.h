/* The hash of a simulation's sources, as lockstep_add_simulation() of CMake computes it: of files
 * in order, and of the compiler's options that change what they mean. docs/determinism.md. */
#ifndef LS_SOURCE_HASH_H
#define LS_SOURCE_HASH_H

#include "core/base/builder.h"
#include "proto/sha256.h"

typedef struct ls_source_hash {
    ls_builder files; /* one line per file: the hash of its bytes */
    char **options;   /* those that count, canonical */
    uint32_t option_count;
} ls_source_hash;

/* Zeroed storage is an empty hash. */
void ls_source_hash_reset(ls_source_hash *hash);
/*   errors  NOT_FOUND, IO, LIMIT: as ls_text_file_read */
ls_status ls_source_hash_add_file(ls_source_hash *hash, const char *path,
                                  ls_error *error) LS_MUST_USE;
/* `option`: one of the compiler's, such as "-DSIZE=4" or "-O2". Those that do not change what the
 * sources mean, and definitions of reserved names or NDEBUG, have no effect. */
void ls_source_hash_add_option(ls_source_hash *hash, const char *option);
void ls_source_hash_get(ls_source_hash *hash, char text[LS_SHA256_TEXT_BYTES]);

#endif

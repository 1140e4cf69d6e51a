/* Computes the hash of a simulation's sources, as lockstep_add_simulation() of CMake does: of the
 * files in order, and of the compiler options that change their meaning (docs/determinism.md). */
#ifndef LS_SOURCE_HASH_H
#define LS_SOURCE_HASH_H

#include "core/base/builder.h"
#include "proto/sha256.h"

typedef struct ls_source_hash {
    ls_builder files; /* a line for each file: the hash of its bytes */
    char **options;   /* the options that belong to the hash, in canonical form */
    uint32_t option_count;
} ls_source_hash;

/* Frees the hash and makes it empty. Zeroed storage is an empty hash, too. */
void ls_source_hash_reset(ls_source_hash *hash);
/* Adds a file.
 *   errors  NOT_FOUND, IO, LIMIT: as ls_text_file_read */
ls_status ls_source_hash_add_file(ls_source_hash *hash, const char *path,
                                  ls_error *error) LS_MUST_USE;
/* Adds a compiler option, such as "-DSIZE=4" or "-O2". Options that do not change the meaning of
 * the sources have no effect, nor have definitions of reserved names and of NDEBUG. */
void ls_source_hash_add_option(ls_source_hash *hash, const char *option);
void ls_source_hash_get(ls_source_hash *hash, char text[LS_SHA256_TEXT_BYTES]);

#endif

/* The seed of an identity, and the text form that seeds and public keys share. For identity.c and
 * identity_file.c. */
#ifndef LS_IDENTITY_INTERNAL_H
#define LS_IDENTITY_INTERNAL_H

#include <lockstep/identity.h>
#include <lockstep/limits.h>

enum { LS_IDENTITY_SEED_BYTES = LS_PUBLIC_KEY_BYTES };

/* Derives the key pair of a seed. */
void ls_identity_from_seed(ls_identity *identity, const uint8_t seed[LS_IDENTITY_SEED_BYTES]);

void ls_identity_format_bytes(const uint8_t bytes[LS_PUBLIC_KEY_BYTES],
                              char text[LS_PUBLIC_KEY_TEXT_BYTES]);
/* Reads the text form; on false, `bytes` is zeroed. */
bool ls_identity_parse_bytes(const char *text, uint8_t bytes[LS_PUBLIC_KEY_BYTES]) LS_MUST_USE;

#endif

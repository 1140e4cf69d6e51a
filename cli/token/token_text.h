/* Connect tokens in words, a line "name value" for each thing. */
#ifndef LS_TOKEN_TEXT_H
#define LS_TOKEN_TEXT_H

#include <lockstep/pass.h>

/* The public part. `token` has at least what ls_token_peek gives. */
void ls_token_text_print_pass(const ls_pass *pass, const ls_token *token, uint64_t unix_s);
/* The part that the matchmaker's key opens; never the psk. */
void ls_token_text_print_sealed(const ls_token *token);

#endif

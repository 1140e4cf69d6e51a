/* Prints connect tokens in words, with a line "name value" for each member. */
#ifndef LS_TOKEN_TEXT_H
#define LS_TOKEN_TEXT_H

#include <lockstep/pass.h>

/* Prints the public part. `token` has at least what ls_token_peek() gives. */
void ls_token_text_print_pass(const ls_pass *pass, const ls_token *token, uint64_t unix_s);
/* Prints the part that the matchmaker's key opens, but never the psk. */
void ls_token_text_print_sealed(const ls_token *token);

#endif

/* Numbers on the command line: the whole text is one decimal number within its range, or it is an
 * error. */
#ifndef LS_NUMBER_H
#define LS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Accepts digits, for the signed one a leading '-'; no spaces, no '+', nothing after them. False
 * leaves *value alone. */
bool ls_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);
bool ls_parse_i64(const char *text, int64_t *value);
/* "2.5" with 4 decimals is 25000: digits, and a point with at most `decimals` (0..9) digits behind
 * it. `max` is in the unit of the result. */
bool ls_parse_decimal(const char *text, uint32_t decimals, uint64_t max, uint64_t *value);

#endif

/* Reads numbers of the command line. The whole text must be one decimal number within its range. */
#ifndef LS_NUMBER_H
#define LS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Parse digits, in the signed function with an optional '-' before them. Spaces, '+' and other text
 * are refused. Return false and leave *value unchanged if the text is no number in range. */
bool ls_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value);
bool ls_parse_i64(const char *text, int64_t *value);
/* Reads "2.5" with 4 decimals as 25000: digits, and optionally a point with at most `decimals`
 * (0..9) digits after it. `max` is in the unit of the result. */
bool ls_parse_decimal(const char *text, uint32_t decimals, uint64_t max, uint64_t *value);

/* Reads a number of bytes, at least 1: digits, and optionally k, M, G or T for a power of 1000. */
bool ls_parse_bytes(const char *text, uint64_t *value);

#endif

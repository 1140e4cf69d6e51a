#include "cli/number.h"

#include <errno.h>
#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ls_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    if (!is_digit(text[0])) /* strtoull would take spaces and signs */
        return false;
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (errno || *end || parsed < min || parsed > max)
        return false;
    *value = parsed;
    return true;
}

bool ls_parse_i64(const char *text, int64_t *value)
{
    if (!is_digit(text[text[0] == '-']))
        return false;
    char *end;
    errno = 0;
    long long parsed = strtoll(text, &end, 10);
    if (errno || *end)
        return false;
    *value = parsed;
    return true;
}

#include "cli/common/number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool ls_parse_u64(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
    if (!is_digit(text[0])) /* strtoull() would accept spaces and signs */
        return false;
    char *end;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    if (errno || *end || parsed < min || parsed > max)
        return false;
    *value = parsed;
    return true;
}

bool ls_parse_bytes(const char *text, uint64_t *value)
{
    static const char units[] = "kMGT";
    char *end;
    if (!is_digit(text[0]))
        return false;
    errno = 0;
    unsigned long long parsed = strtoull(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    if (errno || parsed == 0 || (*end && (!unit || end[1])))
        return false;
    for (const char *power = units; unit && power <= unit; power++) {
        if (parsed > UINT64_MAX / 1000)
            return false;
        parsed *= 1000;
    }
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

bool ls_parse_decimal(const char *text, uint32_t decimals, uint64_t max, uint64_t *value)
{
    uint64_t result = 0;
    uint32_t behind = 0;
    bool has_point = false;
    if (!is_digit(text[0]))
        return false;
    for (; *text; text++) {
        if (*text == '.' && !has_point && is_digit(text[1])) {
            has_point = true;
            continue;
        }
        behind += has_point;
        uint64_t digit = (uint64_t)(*text - '0');
        if (!is_digit(*text) || behind > decimals || result > (UINT64_MAX - digit) / 10)
            return false;
        result = result * 10 + digit;
    }
    for (; behind < decimals; behind++) {
        if (result > UINT64_MAX / 10)
            return false;
        result *= 10;
    }
    if (result > max)
        return false;
    *value = result;
    return true;
}

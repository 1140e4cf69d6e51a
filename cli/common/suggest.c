#include "cli/common/suggest.h"

#include "core/base/bounds.h"

#include <string.h>

#define TEXT_MAX 63u

/* Optimal string alignment distance; three rows suffice because a swap looks back by two. */
uint32_t ls_edit_distance(const char *a, const char *b)
{
    uint32_t rows[3][TEXT_MAX + 1];
    uint32_t a_count = (uint32_t)strnlen(a, TEXT_MAX), b_count = (uint32_t)strnlen(b, TEXT_MAX);
    for (uint32_t j = 0; j <= b_count; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a_count; i++) {
        uint32_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_count; j++) {
            uint32_t change = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = ls_min_u32(change, ls_min_u32(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = ls_min_u32(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_count % 3][b_count];
}

const char *ls_suggest(const char *typed, const char *const *names, size_t count)
{
    const char *best = NULL;
    /* A third of the letters, plus one, may differ, and less than half of them; beyond that it is
     * another word. */
    uint32_t letters = (uint32_t)strnlen(typed, TEXT_MAX), nearest = letters / 3 + 2;
    for (size_t i = 0; i < count; i++) {
        uint32_t distance = ls_edit_distance(typed, names[i]);
        if (distance < nearest && 2 * distance < letters) {
            nearest = distance;
            best = names[i];
        }
    }
    return best;
}

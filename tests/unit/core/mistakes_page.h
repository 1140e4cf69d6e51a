/* The rows of docs/mistakes.md, for the tests that make the mistakes. */
#ifndef LS_MISTAKES_PAGE_H
#define LS_MISTAKES_PAGE_H

#include "harness.h"

/* The page from its first `from` to the `to` that follows; NULL is its start or end. The caller
 * does not free it; the next call overwrites it. */
static inline const char *mistakes_page(const char *from, const char *to)
{
    FILE *file = fopen(MISTAKES_PAGE, "r");
    assert_non_null(file);
    static char text[64 << 10];
    size_t count = fread(text, 1, sizeof text - 1, file);
    assert_int_equal(fclose(file), 0);
    text[count] = 0;
    char *start = from ? strstr(text, from) : text;
    assert_non_null(start);
    char *end = to ? strstr(start, to) : NULL;
    if (to)
        assert_non_null(end);
    if (end)
        *end = 0;
    return start;
}

/* Prints the row; returns whether it is missing. */
static inline bool mistakes_row_is_missing(const char *page, const char *what, const char *message)
{
    char row[2048];
    snprintf(row, sizeof row, "| %s | %s |\n", what, message);
    bool is_known = strstr(page, row) != NULL;
    print_message("%s%s", is_known ? "" : "not in " MISTAKES_PAGE ": ", row);
    return !is_known;
}

/* The rows of all tables, without their heads. */
static inline uint32_t mistakes_count_rows(const char *page)
{
    uint32_t rows = 0;
    for (const char *at = page; (at = strstr(at, "\n| ")); at++)
        rows++;
    for (const char *at = page; (at = strstr(at, "\n| --- |")); at++)
        rows -= 2;
    return rows;
}

#endif

#include "cli/serve/http_file.h"

#include "cli/common/number.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#define BLANKS " \t"

/* Whether the list of Accept-Encoding has gzip, and not with the weight 0. */
static bool takes_gzip(const char *list)
{
    static const char name[] = "gzip";
    for (const char *end; *list; list = end + (*end == ',')) {
        list += strspn(list, BLANKS);
        end = list + strcspn(list, ",");
        if (strncasecmp(list, name, strlen(name)) != 0)
            continue;
        list += strlen(name);
        list += strspn(list, BLANKS);
        if (list == end || (*list == ';' && strcspn(list, "123456789") < (size_t)(end - list)))
            return true;
    }
    return false;
}

void ls_http_file_choose(const ls_http_wish *wish, ls_http_answer *answer)
{
    FILE *rest = answer->packed;
    if (!answer->packed)
        return;
    answer->varies = true;
    if (takes_gzip(wish->encoding)) {
        rest = answer->file;
        answer->file = answer->packed;
        answer->file_bytes = answer->packed_bytes;
        answer->is_packed = true;
    }
    fclose(rest);
    answer->packed = NULL;
}

void ls_http_file_name_version(ls_http_answer *answer)
{
    struct stat facts;
    if (!answer->file || fstat(fileno(answer->file), &facts) != 0)
        return;
    snprintf(answer->etag, sizeof answer->etag,
             "\"%" PRIx64 "-%" PRIx64 "-%" PRIx64 ".%" PRIx64 "\"", (uint64_t)facts.st_ino,
             (uint64_t)facts.st_size, (uint64_t)facts.st_mtim.tv_sec,
             (uint64_t)facts.st_mtim.tv_nsec);
}

/* Whether the list of If-None-Match has the version. A cache may have marked it as weak. */
static bool has_version(const char *list, const char *etag)
{
    size_t length = strlen(etag);
    for (list += strspn(list, BLANKS); *list; list += strspn(list, BLANKS ",")) {
        if (*list == '*')
            return true;
        if (strncmp(list, "W/", 2) == 0)
            list += 2;
        const char *end = *list == '"' ? strchr(list + 1, '"') : NULL;
        if (!end)
            return false;
        if ((size_t)(end + 1 - list) == length && memcmp(list, etag, length) == 0)
            return true;
        list = end + 1;
    }
    return false;
}

/* Reads "FIRST-", "FIRST-LAST" or "-COUNT". False: it is no range of bytes, or several. */
static bool read_range(const char *text, uint64_t total, uint64_t *first, uint64_t *bytes)
{
    char numbers[2][24] = {"", ""};
    uint64_t last = UINT64_MAX;
    int end = 0;
    if (sscanf(text, "bytes=%23[0-9]-%n%23[0-9]%n", numbers[0], &end, numbers[1], &end) < 1 &&
        sscanf(text, "bytes=-%23[0-9]%n", numbers[1], &end) < 1)
        return false;
    if (!end || text[end] || (numbers[0][0] && !ls_parse_u64(numbers[0], 0, UINT64_MAX, first)) ||
        (numbers[1][0] && !ls_parse_u64(numbers[1], 0, UINT64_MAX, &last)))
        return false;
    if (!numbers[0][0]) {
        *bytes = last < total ? last : total;
        *first = total - *bytes;
        return true;
    }
    if (last < *first)
        return false;
    *bytes = *first >= total ? 0 : (last < total - 1 ? last : total - 1) - *first + 1;
    return true;
}

static void close_file(ls_http_answer *answer)
{
    fclose(answer->file);
    answer->file = NULL;
    answer->file_bytes = 0;
    answer->is_packed = false;
}

static void give_part(ls_http_answer *answer, uint64_t first, uint64_t bytes)
{
    uint64_t total = answer->file_bytes;
    if (!bytes) {
        close_file(answer);
        answer->cache = NULL;
        snprintf(answer->range, sizeof answer->range, "bytes */%" PRIu64, total);
        ls_http_say(answer, 416, "the file has no such part");
        return;
    }
    if (fseeko(answer->file, (off_t)first, SEEK_SET) != 0)
        return;
    answer->code = 206;
    answer->file_bytes = bytes;
    snprintf(answer->range, sizeof answer->range, "bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, first,
             first + bytes - 1, total);
}

void ls_http_file_apply(const ls_http_wish *wish, ls_http_answer *answer)
{
    uint64_t first = 0, bytes = 0;
    if (!answer->file || !answer->etag[0])
        return;
    if (has_version(wish->none_match, answer->etag)) {
        close_file(answer);
        answer->code = 304;
        return;
    }
    if (wish->is_get && (!wish->if_range[0] || strcmp(wish->if_range, answer->etag) == 0) &&
        read_range(wish->range, answer->file_bytes, &first, &bytes))
        give_part(answer, first, bytes);
}

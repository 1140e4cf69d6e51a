/* Arbitrary bytes as what a request over HTTP brings: a path, the conditions and the range of a
 * file, the header with the token, and the file of the token. A path never leads out of the
 * folders, an answer to a range is within the file, and only the token itself is admitted. */
#include "cli/serve/http_answer.h"
#include "cli/serve/http_file.h"
#include "cli/serve/http_token.h"
#include "cli/serve/viewer_answer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

#define PUBLIC     "public"
#define TOKEN      "0123456789abcdef+/=-._~"
#define ETAG       "\"2a-64-5.1\""
#define SCHEME     "Bearer "
#define TOTAL      100
#define TEXT_BYTES 4096

static char folder[] = "/tmp/lockstep-fuzz-XXXXXX", files[64], token_file[64];
static ls_http_token token;

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    LS_ASSERT(file && fwrite(data, 1, bytes, file) == bytes);
    LS_ASSERT(fclose(file) == 0);
}

static void remove_files(void)
{
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    LS_ASSERT(system(command) == 0); /* NOLINT: a path of this program alone */
}

/* Files that a path may lead to are PUBLIC, all others are not. */
static void make_files(void)
{
    static const char *const names[][2] = {
        {"secret.lsr", "secret"},          {"files/.hidden", "secret"},
        {"files/index.html", PUBLIC},      {"files/match.lsr", PUBLIC},
        {"files/room/live", PUBLIC},       {"files/room/.part", "secret"},
        {"files/room/deep/live", "secret"}};
    static const char *const folders[] = {"files", "files/room", "files/room/deep"};
    char path[96];
    if (files[0])
        return;
    LS_ASSERT(mkdtemp(folder));
    (void)atexit(remove_files);
    for (size_t i = 0; i < LS_COUNT_OF(folders); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, folders[i]);
        LS_ASSERT(mkdir(path, 0700) == 0);
    }
    for (size_t i = 0; i < LS_COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i][0]);
        write_file(path, names[i][1], strlen(names[i][1]));
    }
    snprintf(files, sizeof files, "%s/files", folder);
    snprintf(token_file, sizeof token_file, "%s/token", folder);
    write_file(token_file, TOKEN, strlen(TOKEN));
    LS_ASSERT(chmod(token_file, 0600) == 0);
    LS_ASSERT(ls_http_token_read(token_file, &token, NULL) == LS_OK);
}

static void end(ls_http_answer *answer)
{
    if (answer->file)
        fclose(answer->file);
    ls_free(answer->body.data);
}

/* Whether a page of the server answers the path. The rooms are "a" and "b". */
static bool check_page(const char *path)
{
    static ls_metrics_room rooms[] = {{.name = "a"}, {.name = "b"}};
    static const ls_metrics metrics = {.list = rooms, .room_count = LS_COUNT_OF(rooms)};
    const ls_http_facts facts = {.sim = "sim", .metrics = &metrics};
    ls_http_answer answer;
    bool is_page = ls_http_answer_get(&facts, path, &answer);
    LS_ASSERT(!answer.file && answer.type && answer.body.count);
    LS_ASSERT(answer.code == 200 || answer.code == 503 || answer.code == 404);
    LS_ASSERT(is_page || answer.code == 404);
    if (strncmp(path, "/rooms/", 7) == 0)
        LS_ASSERT((answer.code == 200) ==
                  (strcmp(path, "/rooms/a") == 0 || strcmp(path, "/rooms/b") == 0));
    end(&answer);
    return is_page;
}

static void check_path(const char *path)
{
    ls_viewer_files shown = {.site = files, .folder = files, .only = "match.lsr", .live = files};
    ls_http_answer answer;
    char content[sizeof PUBLIC] = "";
    if (check_page(path))
        return;
    ls_viewer_answer_get(&shown, path, &answer);
    LS_ASSERT(answer.code == 200 || answer.code == 404);
    LS_ASSERT(!answer.file || answer.code == 200);
    if (answer.file) {
        LS_ASSERT(answer.file_bytes == strlen(PUBLIC));
        LS_ASSERT(fread(content, 1, sizeof content, answer.file) == strlen(PUBLIC));
        LS_ASSERT(strcmp(content, PUBLIC) == 0);
    }
    end(&answer);
}

/* Copies the next line of the text, cut to the room of its header. */
static void next_line(const char **at, char header[LS_HTTP_WISH_BYTES])
{
    size_t bytes = strcspn(*at, "\n");
    snprintf(header, LS_HTTP_WISH_BYTES, "%.*s", (int)bytes, *at);
    *at += bytes + ((*at)[bytes] == '\n');
}

static void check_part(const ls_http_wish *wish, const ls_http_answer *answer)
{
    char expected[LS_HTTP_RANGE_BYTES];
    long first = ftell(answer->file);
    LS_ASSERT(wish->is_get && strncmp(wish->range, "bytes=", 6) == 0 && !strchr(wish->range, ','));
    LS_ASSERT(!wish->if_range[0] || strcmp(wish->if_range, ETAG) == 0);
    LS_ASSERT(first >= 0 && first < TOTAL);
    LS_ASSERT(answer->file_bytes && answer->file_bytes <= (uint64_t)(TOTAL - first));
    snprintf(expected, sizeof expected, "bytes %ld-%" PRIu64 "/%d", first,
             (uint64_t)first + answer->file_bytes - 1, TOTAL);
    LS_ASSERT(strcmp(answer->range, expected) == 0);
}

/* Three lines are If-None-Match, Range and If-Range. */
static void check_wish(const char *text, bool is_get)
{
    static char content[TOTAL];
    ls_http_wish wish = {.is_get = is_get};
    ls_http_answer answer = {.code = 200,
                             .type = LS_HTTP_TEXT_TYPE,
                             .etag = ETAG,
                             .file = fmemopen(content, TOTAL, "rb"),
                             .file_bytes = TOTAL};
    LS_ASSERT(answer.file);
    next_line(&text, wish.none_match);
    next_line(&text, wish.range);
    next_line(&text, wish.if_range);
    ls_http_file_apply(&wish, &answer);
    LS_ASSERT(answer.file ? !answer.body.data : !answer.file_bytes);
    if (answer.code == 206) {
        check_part(&wish, &answer);
    } else if (answer.code == 304) {
        LS_ASSERT(!answer.file && !answer.body.data);
        LS_ASSERT(strstr(wish.none_match, ETAG) || strchr(wish.none_match, '*'));
    } else if (answer.code == 416) {
        LS_ASSERT(is_get && !answer.file && answer.body.count);
    } else {
        LS_ASSERT(answer.code == 200 && answer.file_bytes == TOTAL && ftell(answer.file) == 0);
    }
    end(&answer);
}

static void check_header(const char *header)
{
    bool is_right = strncasecmp(header, SCHEME, strlen(SCHEME)) == 0 &&
                    strcmp(header + strlen(SCHEME), TOKEN) == 0;
    LS_ASSERT(ls_http_token_is_in(&token, header) == is_right);
}

/* An accepted file admits its first line. */
static void check_token_file(const char *text, size_t bytes)
{
    ls_http_token read;
    ls_error error = {""};
    char header[sizeof SCHEME + LS_HTTP_TOKEN_BYTES_MAX];
    write_file(token_file, text, bytes);
    if (ls_http_token_read(token_file, &read, &error) != LS_OK) {
        LS_ASSERT(error.text[0]);
        return;
    }
    size_t length = strcspn(text, "\r\n");
    LS_ASSERT(length >= LS_HTTP_TOKEN_BYTES_MIN && length <= LS_HTTP_TOKEN_BYTES_MAX);
    snprintf(header, sizeof header, SCHEME "%.*s", (int)length, text);
    LS_ASSERT(ls_http_token_is_in(&read, header));
}

/* The first byte chooses what the others are. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    char text[TEXT_BYTES + 1] = "";
    if (bytes == 0 || bytes > TEXT_BYTES)
        return 0;
    make_files();
    memcpy(text, data + 1, bytes - 1);
    switch (data[0] % 8) {
    case 0:
    case 1:
        check_path(text);
        break;
    case 2:
    case 3:
        check_header(text);
        break;
    case 4:
        check_token_file(text, bytes - 1);
        break;
    default:
        check_wish(text, data[0] % 8 != 5);
    }
    return 0;
}

#include "cli/serve/viewer_answer.h"

#include "cli/serve/broadcast_files.h"
#include "cli/serve/recordings.h"
#include "core/base/json_writer.h"
#include "core/base/platform.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name of one file in a folder: no path, nothing hidden. */
static bool is_plain_name(const char *name)
{
    return name[0] && name[0] != '.' && !strpbrk(name, "/\\") && strlen(name) < LS_PATH_BYTES_MAX;
}

static const char *type_of(const char *name)
{
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"},
                                           {".css", "text/css; charset=utf-8"},
                                           {".js", "text/javascript; charset=utf-8"},
                                           {".wasm", "application/wasm"}};
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < LS_COUNT_OF(types); i++)
        if (strcmp(ending, types[i][0]) == 0)
            return types[i][1];
    return "application/octet-stream";
}

/* Opens a regular file; NULL: there is none. Non-blocking, because the open of a named pipe would
 * wait for its writer. */
static FILE *open_file(const char *folder, const char *name, const char *ending, struct stat *facts)
{
    char path[LS_PATH_BYTES_MAX];
    int length = snprintf(path, sizeof path, "%s/%s%s", folder, name, ending), file = -1;
    FILE *opened = NULL;
    if (length < (int)sizeof path)
        file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && fstat(file, facts) == 0 && S_ISREG(facts->st_mode))
        opened = fdopen(file, "rb");
    if (file >= 0 && !opened)
        close(file);
    return opened;
}

static void give_file(const char *folder, const char *name, ls_http_answer *answer)
{
    struct stat facts;
    answer->file = open_file(folder, name, "", &facts);
    if (!answer->file) {
        ls_http_say(answer, 404, "there is no such file");
        return;
    }
    answer->code = 200;
    answer->type = type_of(name);
    answer->file_bytes = (uint64_t)facts.st_size;
    answer->cache = LS_VIEWER_CACHE_FILE;
}

/* Gives a file of the viewer, and the packed one that web/build made of it. A packed file that is
 * older is of another version, and left out. */
static void give_page(const char *site, const char *name, ls_http_answer *answer)
{
    struct stat facts, packed;
    give_file(site, name, answer);
    if (!answer->file || fstat(fileno(answer->file), &facts) != 0)
        return;
    answer->packed = open_file(site, name, ".gz", &packed);
    if (answer->packed && packed.st_mtime < facts.st_mtime) {
        fclose(answer->packed);
        answer->packed = NULL;
    }
    answer->packed_bytes = answer->packed ? (uint64_t)packed.st_size : 0;
}

static bool is_shown(const ls_viewer_files *files, const char *name)
{
    if (files->only)
        return strcmp(name, files->only) == 0;
    return is_plain_name(name) && ls_viewer_shelf_has(files->shelf, name);
}

ls_status ls_viewer_check_site(const char *folder, ls_error *error)
{
    char path[LS_PATH_BYTES_MAX];
    if (snprintf(path, sizeof path, "%s/index.html", folder) < (int)sizeof path &&
        access(path, R_OK) == 0)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_NOT_FOUND,
                        "--site %.256s: there is no viewer: run web/build and give its folder "
                        "build/web/site",
                        folder);
}

static void list_one(ls_builder *text, const char *name, const char *simulation)
{
    ls_json_open(text, NULL, '{');
    ls_json_string(text, "name", name);
    if (simulation[0])
        ls_json_string(text, "simulation", simulation);
    ls_json_close(text, '}');
}

static void list_only(const ls_viewer_files *files, ls_builder *text)
{
    char path[LS_PATH_BYTES_MAX], simulation[LS_RECORDING_TEXT_BYTES];
    if (snprintf(path, sizeof path, "%s/%s", files->folder, files->only) >= (int)sizeof path)
        return;
    ls_recordings_simulation(path, simulation);
    list_one(text, files->only, simulation);
}

static void list_shelf(const ls_viewer_files *files, ls_builder *text)
{
    ls_viewer_shelf_update(files->shelf, ls_monotonic_ns());
    for (uint32_t i = 0; i < files->shelf->count; i++) {
        const char *name = files->shelf->files[i].name;
        if (is_shown(files, name))
            list_one(text, name, ls_viewer_shelf_simulation(files->shelf, name));
    }
}

static void list_recordings(const ls_viewer_files *files, ls_http_answer *answer)
{
    answer->code = 200;
    answer->type = LS_HTTP_JSON_TYPE;
    ls_json_open(&answer->body, NULL, '{');
    ls_json_open(&answer->body, "recordings", '[');
    if (files->only)
        list_only(files, &answer->body);
    else
        list_shelf(files, &answer->body);
    ls_json_close(&answer->body, ']');
    ls_json_bool(&answer->body, "live", files->live != NULL);
    if (files->play)
        ls_json_string(&answer->body, "play", files->play);
    ls_json_close(&answer->body, '}');
}

/* Gives the list of rooms with a running match, which is empty without a broadcast. */
static void list_live(const char *folder, ls_http_answer *answer)
{
    if (folder)
        give_file(folder, LS_BROADCAST_LIST, answer);
    if (!answer->file) {
        ls_free(answer->body.data);
        *answer = (ls_http_answer){.code = 200};
        ls_builder_add(&answer->body, "[]");
    }
    answer->type = LS_HTTP_JSON_TYPE;
    answer->cache = LS_VIEWER_CACHE_LIVE;
}

/* Gives ROOM/FILE of the broadcast. */
static void give_live(const char *folder, const char *path, ls_http_answer *answer)
{
    char room[LS_PATH_BYTES_MAX], name[LS_PATH_BYTES_MAX];
    if (strcmp(path, LS_BROADCAST_LIST) == 0) {
        list_live(folder, answer);
        return;
    }
    const char *file = strchr(path, '/');
    size_t length = file ? (size_t)(file - path) : 0;
    if (!folder || !length || length >= sizeof room || !is_plain_name(file + 1)) {
        ls_http_say(answer, 404, "there is no such file");
        return;
    }
    snprintf(room, sizeof room, "%.*s", (int)length, path);
    if (is_plain_name(room) &&
        snprintf(name, sizeof name, "%s/%s", folder, room) < LS_PATH_BYTES_MAX)
        give_file(name, file + 1, answer);
    else
        ls_http_say(answer, 404, "there is no such file");
    if (answer->file)
        answer->cache =
            strcmp(file + 1, "live") == 0 ? LS_VIEWER_CACHE_LIVE : LS_VIEWER_CACHE_SEGMENT;
}

void ls_viewer_answer_get(void *context, const char *path, ls_http_answer *answer)
{
    const ls_viewer_files *files = context;
    const size_t prefix = strlen(LS_VIEWER_RECORDINGS);
    *answer = (ls_http_answer){0};
    if (strcmp(path, "/") == 0)
        give_page(files->site, "index.html", answer);
    else if (strcmp(path, "/recordings.json") == 0)
        list_recordings(files, answer);
    else if (strncmp(path, LS_VIEWER_RECORDINGS, prefix) == 0 && is_shown(files, path + prefix))
        give_file(files->folder, path + prefix, answer);
    else if (strncmp(path, LS_VIEWER_LIVE, strlen(LS_VIEWER_LIVE)) == 0)
        give_live(files->live, path + strlen(LS_VIEWER_LIVE), answer);
    else if (path[0] == '/' && is_plain_name(path + 1))
        give_page(files->site, path + 1, answer);
    else
        ls_http_say(answer, 404, "there is no such file");
}

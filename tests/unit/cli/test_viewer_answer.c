#include "cli/serve/viewer_answer.h"

#include "core/base/platform_file.h"

#include "tiny_recording.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/lockstep-viewer-XXXXXX";
static char site[64], shown[64], live[64];
static ls_viewer_shelf shelf = {.folder = shown, .has_all = true};

static void write_file(const char *in, const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", in, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int make_files(void **state)
{
    if (!mkdtemp(folder))
        return -1;
    snprintf(site, sizeof site, "%s/site", folder);
    snprintf(shown, sizeof shown, "%s/shown", folder);
    mkdir(site, 0700);
    mkdir(shown, 0700);
    snprintf(live, sizeof live, "%s/live", folder);
    mkdir(live, 0700);
    char room[96];
    snprintf(room, sizeof room, "%s/~20", live);
    mkdir(room, 0700);
    write_file(room, "live", "manifest");
    write_file(room, "drift-0.seg", "segment");
    write_file(room, ".drift-1.seg", "hidden");
    write_file(folder, "secret.lsr", "secret");
    write_file(site, "index.html", "page");
    write_file(site, "skirmish.wasm", "module");
    write_file(site, ".hidden", "hidden");
    write_file(shown, "a b.lsr", "first");
    write_file(shown, "two.lsr", "second");
    write_file(shown, ".three.lsr", "hidden");
    write_file(shown, "notes.txt", "notes");
    char path[128];
    snprintf(path, sizeof path, "%s/tiny.lsr", shown);
    make_recording(path, false);
    snprintf(path, sizeof path, "%s/pipe.lsr", shown);
    if (mkfifo(path, 0600) != 0)
        return -1;
    snprintf(path, sizeof path, "%s/folder.lsr", shown);
    return mkdir(path, 0700);
}

static int remove_files(void **state)
{
    char command[96];
    ls_viewer_shelf_reset(&shelf);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command); /* NOLINT: a path of this test alone */
}

/* `text` is the body; NULL: there is none. `only` is the one recording that is shown, and stands
 * for a simulation to play, too. */
static void gives(const char *only, const char *path, const char *type, const char *text)
{
    ls_viewer_files files = {.site = site,
                             .folder = shown,
                             .only = only,
                             .live = live,
                             .play = only,
                             .shelf = only ? NULL : &shelf};
    ls_http_answer answer;
    char body[512] = "";
    ls_viewer_answer_get(&files, path, &answer);
    assert_int_equal(answer.code, text ? 200 : 404);
    assert_string_equal(answer.type, text ? type : "text/plain; charset=utf-8");
    if (answer.file) {
        assert_int_equal(fread(body, 1, sizeof body, answer.file), answer.file_bytes);
        fclose(answer.file);
    } else {
        snprintf(body, sizeof body, "%s", answer.body.data);
    }
    assert_string_equal(body, text ? text : "there is no such file\n");
    ls_free(answer.body.data);
}

TESTS_AROUND_ALL(make_files, remove_files);

TEST(test_viewer_answer_gives_page_and_recordings)
{
    gives(NULL, "/", "text/html; charset=utf-8", "page");
    gives(NULL, "/skirmish.wasm", "application/wasm", "module");
    gives(NULL, "/recordings/a b.lsr", "application/octet-stream", "first");
    gives(NULL, "/recordings/two.lsr", "application/octet-stream", "second");
    gives("two.lsr", "/recordings/two.lsr", "application/octet-stream", "second");
    gives("two.lsr", "/recordings.json", "application/json",
          "{\"recordings\": [{\"name\": \"two.lsr\"}], \"live\": true, \"play\": \"two.lsr\"}");
    gives("tiny.lsr", "/recordings.json", "application/json",
          "{\"recordings\": [{\"name\": \"tiny.lsr\", \"simulation\": \"tiny\"}], "
          "\"live\": true, \"play\": \"tiny.lsr\"}");
}

/* A file that is no recording has no simulation. */
TEST(test_viewer_answer_lists_a_folder)
{
    gives(NULL, "/recordings.json", "application/json",
          "{\"recordings\": [{\"name\": \"a b.lsr\"}, {\"name\": \"folder.lsr\"}, "
          "{\"name\": \"pipe.lsr\"}, {\"name\": \"tiny.lsr\", \"simulation\": \"tiny\"}, "
          "{\"name\": \"two.lsr\"}], \"live\": true}");
}

/* Caches may keep a segment for ever, and a manifest for a second. */
TEST(test_viewer_answer_gives_running_matches)
{
    static const char *const paths[][2] = {{"/live/~20/live", LS_VIEWER_CACHE_LIVE},
                                           {"/live/~20/drift-0.seg", LS_VIEWER_CACHE_SEGMENT},
                                           {"/skirmish.wasm", LS_VIEWER_CACHE_FILE}};
    const char *const type = "application/octet-stream";
    ls_viewer_files files = {.site = site, .folder = shown, .live = live};
    ls_http_answer answer;
    gives(NULL, "/live/~20/live", type, "manifest");
    gives(NULL, "/live/~20/drift-0.seg", type, "segment");
    for (size_t i = 0; i < LS_COUNT_OF(paths); i++) {
        ls_viewer_answer_get(&files, paths[i][0], &answer);
        fclose(answer.file);
        assert_string_equal(answer.cache, paths[i][1]);
    }
    files.live = NULL;
    ls_viewer_answer_get(&files, "/live/~20/live", &answer);
    assert_int_equal(answer.code, 404);
    ls_free(answer.body.data);
}

/* The file NAME.gz is offered with NAME, unless it is older: then it is of another version. */
TEST(test_viewer_answer_offers_the_packed_file)
{
    static const int64_t ages_s[] = {1, 0, -1};
    ls_viewer_files files = {.site = site, .folder = shown};
    char path[128];
    ls_http_answer answer;
    write_file(site, "art.js", "the art of a simulation");
    write_file(site, "art.js.gz", "packed");
    for (size_t i = 0; i < LS_COUNT_OF(ages_s); i++) {
        const struct timespec times[2] = {{.tv_sec = 9}, {.tv_sec = 9}},
                              others[2] = {{.tv_sec = 9}, {.tv_sec = 9 + ages_s[i]}};
        snprintf(path, sizeof path, "%s/art.js", site);
        assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
        snprintf(path, sizeof path, "%s/art.js.gz", site);
        assert_int_equal(utimensat(AT_FDCWD, path, others, 0), 0);
        ls_viewer_answer_get(&files, "/art.js", &answer);
        assert_string_equal(answer.type, "text/javascript; charset=utf-8");
        assert_int_equal(answer.file_bytes, strlen("the art of a simulation"));
        fclose(answer.file);
        assert_int_equal(answer.packed != NULL, ages_s[i] >= 0);
        assert_int_equal(answer.packed_bytes, answer.packed ? strlen("packed") : 0);
        if (answer.packed)
            fclose(answer.packed);
    }
    ls_viewer_answer_get(&files, "/skirmish.wasm", &answer);
    assert_null(answer.packed);
    fclose(answer.file);
}

TEST(test_viewer_answer_gives_nothing_else)
{
    static const char *const bad[] = {"",
                                      "x",
                                      "//",
                                      "/.",
                                      "/..",
                                      "/.hidden",
                                      "/../secret.lsr",
                                      "/recordings",
                                      "/recordings/",
                                      "/recordings/.",
                                      "/recordings/..",
                                      "/recordings/../secret.lsr",
                                      "/recordings/..\\secret.lsr",
                                      "/recordings//etc/passwd",
                                      "/recordings/.three.lsr",
                                      "/recordings/notes.txt",
                                      "/recordings/pipe.lsr",
                                      "/recordings/folder.lsr",
                                      "/recordings/folder.lsr/",
                                      "/recordings/none.lsr",
                                      "/recordings/a%20b.lsr",
                                      "/live",
                                      "/live/",
                                      "/live/~20",
                                      "/live/~20/",
                                      "/live/~20/.drift-1.seg",
                                      "/live/~20/drift-9.seg",
                                      "/live/../secret.lsr",
                                      "/live/~20/../~20/live",
                                      "/live//live",
                                      "/two.lsr",
                                      "/etc/passwd",
                                      "/site/index.html"};
    char path[LS_PATH_BYTES_MAX + 16];
    for (size_t i = 0; i < LS_COUNT_OF(bad); i++)
        gives(NULL, bad[i], "", NULL);
    gives("two.lsr", "/recordings/a b.lsr", "", NULL); /* another than the one that is shown */
    memset(path, 'x', sizeof path);
    path[0] = '/';
    path[sizeof path - 1] = 0;
    gives(NULL, path, "", NULL);
}

#include "cli/watch/viewer_site.h"

#include "cli/common/clock.h"
#include "cli/common/match_playback.h"
#include "cli/common/signals.h"
#include "cli/serve/http_address.h"
#include "cli/serve/viewer_answer.h"
#include "core/base/platform.h"
#include "core/base/platform_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTEN_OPTION "--listen"
#define PAUSE_NS      (LS_SECOND_NS / 10)

/* Finds the viewer's folder. If none is given, it is looked for from this program,
 * build/release/cli/lockstep: web/build makes build/web/site. */
static ls_status find_site(char folder[LS_PATH_BYTES_MAX], const char *site, ls_error *error)
{
    char program[LS_PATH_BYTES_MAX] = "";
    if (site) {
        snprintf(folder, LS_PATH_BYTES_MAX, "%s", site);
        return ls_viewer_check_site(site, error);
    }
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *end = length > 0 ? strrchr(program, '/') : NULL;
    if (end)
        *end = 0;
    if (end &&
        snprintf(folder, LS_PATH_BYTES_MAX, "%s/../../web/site", program) < LS_PATH_BYTES_MAX &&
        ls_viewer_check_site(folder, error) == LS_OK)
        return LS_OK;
    return ls_error_set(error, LS_ERROR_NOT_FOUND,
                        "the viewer is not built: run web/build, or give its folder by --site");
}

/* Splits the path of a recording; a folder shows all of its recordings. */
static ls_status find_recordings(const char *path, char folder[LS_PATH_BYTES_MAX],
                                 ls_viewer_files *files, ls_error *error)
{
    struct stat facts;
    if (strlen(path) >= LS_PATH_BYTES_MAX || stat(path, &facts) != 0 ||
        !(S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode)))
        return ls_error_set(error, LS_ERROR_NOT_FOUND,
                            "%.256s: there is no such recording or folder", path);
    files->folder = path;
    if (S_ISDIR(facts.st_mode))
        return LS_OK;
    const char *slash = strrchr(path, '/');
    files->only = slash ? slash + 1 : path;
    snprintf(folder, LS_PATH_BYTES_MAX, "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    files->folder = folder;
    return LS_OK;
}

/* Checks the one recording before the page loads it: what `watch` refuses in a terminal is refused
 * here, and an end that is missing is a warning there, too. */
static ls_status check_recording(const char *path, const char *site, ls_error *error)
{
    ls_recording *recording;
    ls_error end;
    char module[LS_PATH_BYTES_MAX];
    ls_status status = ls_match_playback_open_recording(path, &recording, error);
    if (status)
        return status;
    const char *name = ls_recording_get_header(recording)->simulation.name;
    if (snprintf(module, sizeof module, "%s/%s.wasm", site, name) >= LS_PATH_BYTES_MAX ||
        access(module, R_OK) != 0)
        status = ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                              "%.256s is of the simulation '%s', and the viewer has no %s.wasm: "
                              "`web/build --with FOLDER` makes it of the simulation's sources",
                              path, name, name);
    else if (ls_recording_read_end(recording, &end) != LS_OK)
        fprintf(stderr, "lockstep: warning: %s\n", end.text);
    ls_recording_close(recording);
    return status;
}

static void print_encoded(const char *name)
{
    for (; *name; name++) {
        bool is_plain = strchr("-._~", *name) || (*name >= '0' && *name <= '9') ||
                        (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z');
        if (is_plain)
            putchar(*name);
        else
            printf("%%%02X", (unsigned char)*name);
    }
}

static void print_url(const ls_viewer_site_config *config, const char *only, const char *address)
{
    printf("http://%s/#", address);
    if (only) {
        printf("f=recordings%%2F");
        print_encoded(only);
    } else {
        printf("list=");
    }
    if (only && config->has_tick)
        printf("&t=%" PRIu64, config->tick);
    printf("\n");
    fflush(stdout);
}

ls_status ls_viewer_site_run(const ls_viewer_site_config *config, ls_error *error)
{
    char site[LS_PATH_BYTES_MAX], folder[LS_PATH_BYTES_MAX], address[LS_HTTP_ADDRESS_BYTES];
    ls_viewer_shelf shelf = {.has_all = true};
    ls_viewer_files files = {.site = site, .shelf = &shelf};
    ls_http *http;
    ls_status status = find_recordings(config->path, folder, &files, error);
    if (!status)
        status = find_site(site, config->site, error);
    if (!status && files.only)
        status = check_recording(config->path, site, error);
    if (status)
        return status;
    const ls_http_config port = {.option = LISTEN_OPTION,
                                 .listen = config->listen ? config->listen : "0",
                                 .policy = LS_VIEWER_POLICY,
                                 .checks_host = true,
                                 .answer = ls_viewer_answer_get,
                                 .context = &files};
    shelf.folder = files.folder;
    ls_signals_install();
    status = ls_http_open(&port, &http, error);
    if (status)
        return status;
    ls_http_address_print(port.listen, ls_http_port(http), address);
    print_url(config, files.only, address);
    while (!ls_signals_stop_is_requested())
        ls_clock_sleep_until(ls_monotonic_ns() + PAUSE_NS);
    ls_http_close(http);
    ls_viewer_shelf_reset(&shelf);
    return LS_OK;
}

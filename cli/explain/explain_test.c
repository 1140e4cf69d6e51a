#include "cli/explain/explain_test.h"

#include "cli/common/match_playback.h"
#include "core/base/platform_file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define COPY_BYTES 65536

/* The paths of the files of the new test. */
struct files {
    ls_builder file, match, list; /* `match` is empty when the case needs none */
};

static ls_status fail(const char *path, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_IO, "%s: %s", path, strerror(errno));
}

static ls_status copy(FILE *from, FILE *to)
{
    static char bytes[COPY_BYTES];
    size_t count;
    while ((count = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, count, to) != count)
            return LS_ERROR_IO;
    return ferror(from) ? LS_ERROR_IO : LS_OK;
}

static ls_status copy_file(const char *from, const char *to, ls_error *error)
{
    if (ls_path_is_same(from, to))
        return LS_OK; /* the file is already there: opening it for writing would empty it */
    FILE *source = fopen(from, "rb");
    if (!source)
        return fail(from, error);
    FILE *target = fopen(to, "wb");
    ls_status status = target ? copy(source, target) : LS_ERROR_IO;
    if (status)
        fail(to, error);
    if (target && fclose(target) != 0 && !status)
        status = fail(to, error);
    (void)fclose(source);
    return status;
}

static const char *pass_reason(const ls_explain_result *result)
{
    const ls_explain_case *subject = result->subject;
    switch (result->diagnosis.cause) {
    case LS_CLASS_BUILD:
        return subject->config.other
                   ? "both builds have equal results here"
                   : "only one build runs here; make it with --other and the build of "
                     "the other side, linked to that side's libraries";
    case LS_CLASS_UNSAVED:
        return subject->match_path
                   ? "all runs had equal results this time"
                   : "no run begins where the match did; make it with --match and the "
                     "recording of the match";
    case LS_CLASS_INPUT:
        return "what cut or changed one side's inputs is not in the file, which has the server's";
    case LS_CLASS_MEMORY:
        return "a bit that changed by itself, once, on one machine does not change here";
    case LS_CLASS_MACHINE:
        return result->diagnosis.row
                   ? "all runs had equal results this time; what chance decides may show in "
                     "another"
                   : "what the clock, the environment or the like said on one side is not here";
    case LS_CLASS_OUTSIDE:
        return "what one side had outside of the world (environment, settings, view, bots) is not "
               "here";
    case LS_CLASS_VERSION:
    case LS_CLASS_NONE:
        return "no run differs from another";
    default:
        return "all runs had equal results this time; a random effect may appear in another run";
    }
}

static void add_option(ls_builder *text, const char *name, const char *value)
{
    ls_builder_add(text, " %s \"%s\"", name, value);
}

/* Whether the test must name the examined tick. After a repair, the simulation differs from the
 * recording wherever its rules changed, so only that tick is compared. A bundle names its tick
 * itself. */
static bool needs_tick(const ls_explain_case *subject)
{
    uint64_t root;
    return !subject->evidence && subject->tick > 0 &&
           ls_recording_find_root(subject->recording, subject->tick, &root);
}

static void add_case(const ls_explain_result *result, ls_builder *text)
{
    const ls_explain_case *subject = result->subject;
    const char *reason = result->diagnosis.reason, *name = result->test.name;
    /* Only the first line of the reason: text after a newline would be a command of CMake. */
    ls_builder_add(text, "\n# %s: %.*s\n", ls_desync_class_name(result->diagnosis.cause),
                   (int)strcspn(reason, "\r\n"), reason);
    if (result->test.passes)
        ls_builder_add(text,
                       "# It passed where it was made, although nothing was repaired:\n# %s.\n",
                       result->test.why);
    ls_builder_add(text, "add_test(NAME %s\n  COMMAND \"${LOCKSTEP}\" explain --agree --any-build",
                   name);
    if (subject->config.sim)
        add_option(text, "--sim", "${LOCKSTEP_SIM}");
    if (subject->config.other)
        add_option(text, "--other", "${LOCKSTEP_SIM_OTHER}");
    if (needs_tick(subject))
        ls_builder_add(text, " --tick %" PRIu64, subject->tick);
    if (result->test.needs_match)
        ls_builder_add(text, "\n          --match \"${CMAKE_CURRENT_LIST_DIR}/%s.match.lsr\"",
                       name);
    ls_builder_add(text, "\n          \"${CMAKE_CURRENT_LIST_DIR}/%s.lsr\")\n", name);
}

/* Runs the case as the test will, without its output. */
static ls_status run_case(const ls_explain_case *subject, const struct files *files,
                          ls_explain_agree *agree, bool *passes, ls_error *error)
{
    const ls_explain_config config = {.path = files->file.data,
                                      .sim = subject->config.sim,
                                      .other = subject->config.other,
                                      .match = files->match.data,
                                      .any_build = true,
                                      .timeout_ns = subject->config.timeout_ns};
    ls_status status = agree(&config, needs_tick(subject) ? subject->tick : 0, passes, error);
    return status ? ls_error_set(error, status, "the test of %s cannot be run: %.900s", config.path,
                                 error->text)
                  : LS_OK;
}

/* Whether the list already has the case: CMake refuses a name that is used twice. */
static bool has_case(FILE *list, const char *name)
{
    char line[1024];
    size_t count = strlen(name);
    bool is_found = false;
    rewind(list);
    while (!is_found && fgets(line, sizeof line, list)) {
        const char *start = "add_test(NAME ";
        const char *rest = line + strlen(start);
        is_found = strncmp(line, start, strlen(start)) == 0 && strncmp(rest, name, count) == 0 &&
                   strcspn(rest, " )\r\n") == count;
    }
    return is_found;
}

static ls_status add_to_list(const char *path, const char *name, const char *text, ls_error *error)
{
    FILE *list = fopen(path, "a+e");
    if (!list)
        return fail(path, error);
    bool is_there = has_case(list, name);
    (void)fseek(list, 0, SEEK_END);
    bool is_new = ftell(list) == 0;
    if (is_new)
        fputs("# Desyncs that were found, as tests: include this where enable_testing() was\n"
              "# called, with LOCKSTEP the lockstep binary, LOCKSTEP_SIM the simulation's shared\n"
              "# object and, for those with --other, LOCKSTEP_SIM_OTHER another build of it.\n"
              "# A case fails when two runs of its file on this machine come to different roots.\n",
              list);
    if (!is_there)
        fputs(text, list);
    bool is_bad = ferror(list);
    return fclose(list) != 0 || is_bad ? fail(path, error) : LS_OK;
}

/* Copies a recording and the later files of its match. */
static ls_status copy_match(const char *from, const char *to, ls_error *error)
{
    ls_recording *recording;
    ls_error rest;
    uint32_t number;
    ls_status status = ls_match_playback_open_match(from, &recording, &rest, error);
    if (!status)
        status = copy_file(from, to, error);
    const ls_series *all = recording ? ls_recording_series(recording) : NULL;
    for (uint32_t i = 1; !status && all && i < all->count; i++) {
        if (!ls_series_number(all->names[i], &number))
            continue;
        char *name = ls_series_name(to, number);
        status = copy_file(all->names[i], name, error);
        ls_free(name);
    }
    ls_recording_close(recording);
    return status;
}

static ls_status make_files(const ls_explain_case *subject, const char *folder,
                            const struct files *files, ls_error *error)
{
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return fail(folder, error);
    ls_status status = copy_match(subject->config.path, files->file.data, error);
    if (!status && files->match.data)
        status = copy_match(subject->match_path, files->match.data, error);
    return status;
}

ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_explain_agree *agree, ls_explain_test *test, ls_error *error)
{
    const ls_explain_case *subject = result->subject;
    const ls_explain_row *row = result->diagnosis.row;
    struct files files = {{0}, {0}, {0}};
    ls_builder text = {0};
    *test = (ls_explain_test){.needs_match =
                                  subject->match_path && row && row->kind == LS_EXPLAIN_START};
    snprintf(test->name, sizeof test->name, "desync_%.64s_%" PRIu64 "_%08" PRIx64,
             subject->loaded.sim->name, subject->tick, result->server_root >> 32);
    ls_builder_add(&files.file, "%s/%s.lsr", folder, test->name);
    ls_builder_add(&files.list, "%s/CMakeLists.txt", folder);
    if (test->needs_match)
        ls_builder_add(&files.match, "%s/%s.match.lsr", folder, test->name);
    snprintf(test->list, sizeof test->list, "%s", files.list.data);
    ls_status status = make_files(subject, folder, &files, error);
    if (!status)
        status = run_case(subject, &files, agree, &test->passes, error);
    if (test->passes)
        snprintf(test->why, sizeof test->why, "%s", pass_reason(result));
    add_case(result, &text);
    if (!status)
        status = add_to_list(files.list.data, test->name, text.data, error);
    test->is_there = !status;
    ls_free(files.file.data);
    ls_free(files.match.data);
    ls_free(files.list.data);
    ls_free(text.data);
    return status;
}

#include "cli/explain_test.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define COPY_BYTES 65536

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

static bool is_one_file(const char *a, const char *b)
{
    struct stat one, other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

static ls_status copy_file(const char *from, const char *to, ls_error *error)
{
    if (is_one_file(from, to))
        return LS_OK; /* opening it for writing would empty it */
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

static void add_case(const ls_explain_result *result, const char *name, const char *file,
                     ls_builder *text)
{
    const char *sim = result->the->config.sim, *reason = result->diagnosis.reason;
    /* One line of it: what follows a newline would be a command of CMake's. */
    ls_builder_add(text,
                   "\n# %s: %.*s\n"
                   "add_test(NAME %s\n"
                   "  COMMAND \"${LOCKSTEP}\" explain --agree --any-build%s%s%s\n"
                   "          \"${CMAKE_CURRENT_LIST_DIR}/%s\")\n",
                   ls_desync_class_name(result->diagnosis.cause), (int)strcspn(reason, "\r\n"),
                   reason, name, sim ? " --sim \"" : "", sim ? "${LOCKSTEP_SIM}" : "",
                   sim ? "\"" : "", file);
}

/* Whether the list has the case already: a name twice is an error of CMake's. */
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
        fputs(
            "# Desyncs that were found, as tests: include this where enable_testing() was called,\n"
            "# with LOCKSTEP the lockstep binary and LOCKSTEP_SIM the simulation's shared "
            "object.\n",
            list);
    if (!is_there)
        fputs(text, list);
    bool is_bad = ferror(list);
    return fclose(list) != 0 || is_bad ? fail(path, error) : LS_OK;
}

ls_status ls_explain_test_write(const ls_explain_result *result, const char *folder,
                                ls_error *error)
{
    const ls_explain_case *the = result->the;
    ls_builder name = {0}, file = {0}, path = {0}, list = {0}, text = {0};
    ls_builder_add(&name, "desync_%s_%" PRIu64 "_%08" PRIx64, the->loaded.sim->name, the->tick,
                   result->server_root >> 32);
    ls_builder_add(&file, "%s.lsr", name.data);
    ls_builder_add(&path, "%s/%s", folder, file.data);
    ls_builder_add(&list, "%s/CMakeLists.txt", folder);
    add_case(result, name.data, file.data, &text);
    ls_status status = LS_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        status = fail(folder, error);
    if (!status)
        status = copy_file(the->config.path, path.data, error);
    if (!status)
        status = add_to_list(list.data, name.data, text.data, error);
    if (!status && !result->is_json)
        printf("test       %s, in %s\n", name.data, list.data);
    ls_free(name.data);
    ls_free(file.data);
    ls_free(path.data);
    ls_free(list.data);
    ls_free(text.data);
    return status;
}

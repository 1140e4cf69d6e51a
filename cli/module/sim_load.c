#include "cli/module/sim_load.h"

#include "cli/common/named_text.h"
#include "cli/common/shell_word.h"
#include "cli/common/suggest.h"
#include "cli/module/float_faults.h"
#include "cli/module/float_mode.h"
#include "cli/module/module_file.h"
#include "core/base/platform_cpu.h"
#include "core/base/platform_file.h"
#include "sims/builtin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint32_t ls_sim_names(const char *names[LS_SIM_NAMES_MAX])
{
    uint32_t count = 0;
    while (count < LS_SIM_NAMES_MAX && ls_sim_builtin_at(count)) {
        names[count] = ls_sim_builtin_at(count)->name;
        count++;
    }
    return count;
}

static bool is_path(const char *name)
{
    size_t count = strlen(name);
    return ls_path_folder_length(name) > 0 || (count > 3 && strcmp(name + count - 3, ".so") == 0) ||
           (count > 4 && strcmp(name + count - 4, ".dll") == 0);
}

static ls_status find_builtin(const char *name, const ls_sim **sim, ls_error *error)
{
    *sim = ls_sim_builtin(name);
    if (*sim)
        return LS_OK;
    const char *names[LS_SIM_NAMES_MAX];
    uint32_t count = ls_sim_names(names);
    char known[256] = "";
    for (uint32_t i = 0, used = 0; i < count && used < sizeof known; i++)
        used +=
            (uint32_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", names[i]);
    const char *nearest = ls_suggest(name, names, count);
    return ls_error_set(error, LS_ERROR_NOT_FOUND,
                        "unknown simulation '%.64s'%s%s%s; built in are %s; a shared object is "
                        "given by its path, ./NAME.so",
                        name, nearest ? " (did you mean '" : "", nearest ? nearest : "",
                        nearest ? "'?)" : "", known);
}

/* Returns the first line of the loader's error, without the name of the file, which the caller
 * prints. */
static const char *loader_text(char *text, size_t bytes, const char *path)
{
    const char *message = dlerror();
    if (!message)
        message = "no reason given";
    message = ls_named_text_rest(message, path);
    snprintf(text, bytes, "%.*s", (int)strcspn(message, "\n"), message);
    return text;
}

/* Reports an undefined symbol. One of the engine's is missing because this is another version of
 * it; any other is missing in the module's own link. */
static ls_status refuse_symbol(const char *path, const char *text, ls_error *error)
{
    static const char says[] = "undefined symbol: ";
    const char *symbol = strstr(text, says);
    if (!symbol || strncmp(symbol + sizeof says - 1, "ls_", 3) == 0)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s does not fit this lockstep (%s); rebuild it against this version",
                            path, text);
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s uses what nothing that it links defines (%s); link the library that "
                        "has it, -lm for the functions of math.h",
                        path, text);
}

static ls_status open_library(const char *path, void **library, ls_error *error)
{
    struct stat file;
    if (stat(path, &file) != 0)
        return ls_error_set(error, errno == ENOENT ? LS_ERROR_NOT_FOUND : LS_ERROR_IO,
                            "cannot open the simulation's shared object %s: %s", path,
                            strerror(errno));
    if (!S_ISREG(file.st_mode))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s is no file: give the path of a simulation's shared object", path);
    char machine[LS_MODULE_FILE_MACHINE_BYTES], own[LS_MODULE_FILE_MACHINE_BYTES];
    if (ls_module_file_is_foreign(path, machine, own))
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s was built for another machine (%s), this lockstep is for %s; build "
                            "it for this one",
                            path, machine, own);
    if (!ls_module_file_is_whole(path))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s is no shared object that can be loaded (it is cut short); build or "
                            "copy it again",
                            path);
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (*library)
        return LS_OK;
    char text[512];
    loader_text(text, sizeof text, path);
    if (strstr(text, "undefined symbol"))
        return refuse_symbol(path, text, error);
    if (strstr(text, "path too long"))
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s cannot be loaded: this system takes no such long path of a shared "
                            "object; copy it to one of fewer than 260 characters",
                            path);
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s is no shared object that can be loaded (%s); build it with "
                        "lockstep_add_simulation()",
                        path, text);
}

bool ls_sim_has_source_hash(const ls_sim *sim)
{
    return sim->source_hash && sim->source_hash[0] && strcmp(sim->source_hash, "unknown") != 0;
}

/* Warns of a module without a hash of its sources: two different builds would have the same
 * fingerprint, and desync. */
static void warn_of_sources(const char *path, const ls_sim *sim)
{
    if (!ls_sim_has_source_hash(sim))
        fprintf(stderr,
                "lockstep: warning: the fingerprint of %s does not cover its sources; build it "
                "with lockstep_add_simulation(), or as `lockstep source-hash --help` shows\n",
                path);
}

/* Warns of a changed float mode: it affects everything in this process, but no other process. */
static void warn_of_floats(const char *path, uint64_t before)
{
    char change[LS_FLOAT_CHANGE_BYTES];
    ls_float_mode_compare(before, ls_float_control(), change);
    if (change[0])
        fprintf(stderr,
                "lockstep: warning: loading %s changed how the whole process computes with floats "
                "(%s); link it, and its libraries, without -ffast-math and -Ofast\n",
                path, change);
}

/* Refuses a module whose compiler contracted float operations: on another machine, results would
 * differ. */
static ls_status check_floats(const char *path, void *library, ls_error *error)
{
    uint32_t faults;
    if (!ls_module_float_faults(library, &faults))
        return ls_error_set(
            error, LS_ERROR_INCOMPATIBLE,
            "%s has no " LS_SIM_FLOAT_FAULTS_NAME
            "(), which include/lockstep/sim.h defines; rebuild it against this version's "
            "headers, and export what has LS_API",
            path);
    return ls_float_check(faults, path, error);
}

static ls_status find_export(const char *path, void *library, const ls_sim **sim, ls_error *error)
{
    void *symbol = dlsym(library, LS_SIM_EXPORT_NAME);
    if (!symbol)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s exports no " LS_SIM_EXPORT_NAME
                            "; a simulation defines LS_SIM_EXPORT const ls_sim "
                            "*" LS_SIM_EXPORT_NAME "(void)",
                            path);
    ls_sim_export_function *export;
    memcpy(&export, &symbol, sizeof export); /* ISO C has no cast from object to function */
    *sim = export();
    if (!*sim)
        return ls_error_set(error, LS_ERROR_USAGE, "%s: " LS_SIM_EXPORT_NAME "() gave NULL", path);
    if ((*sim)->abi != LS_SIM_ABI)
        return ls_error_set(error, LS_ERROR_INCOMPATIBLE,
                            "%s was built for layout %u rules %u of the simulation interface, this "
                            "lockstep has layout %u rules %u; rebuild it against this version's "
                            "headers",
                            path, (*sim)->abi >> 16, (*sim)->abi & 0xffffu, LS_SIM_ABI >> 16,
                            LS_SIM_ABI & 0xffffu);
    warn_of_sources(path, *sim);
    return check_floats(path, library, error);
}

static ls_status load_file(const char *name, ls_loaded_sim *loaded, ls_error *error)
{
    if (!LS_LOADS_MODULES)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "%s cannot be loaded: this lockstep is linked statically and has the "
                            "built-in simulations only (`lockstep sims`)",
                            name);
    /* Without a slash, dlopen() would search the system's folders and not the current one. */
    char path[LS_PATH_BYTES_MAX];
    int count =
        snprintf(path, sizeof path, "%s%s", ls_path_folder_length(name) > 0 ? "" : "./", name);
    if (count < 0 || (size_t)count >= sizeof path)
        return ls_error_set(error, LS_ERROR_USAGE, "--sim: the path is too long");
    uint64_t floats = ls_float_control();
    ls_status status = open_library(path, &loaded->library, error);
    if (status)
        return status;
    warn_of_floats(path, floats);
    return find_export(path, loaded->library, &loaded->sim, error);
}

ls_status ls_sim_find(const char *name, ls_loaded_sim *loaded, ls_error *error)
{
    *loaded = (ls_loaded_sim){0};
    ls_status status =
        is_path(name) ? load_file(name, loaded, error) : find_builtin(name, &loaded->sim, error);
    if (status)
        ls_sim_unload(loaded);
    return status;
}

/* Shortens the error to the first finding, with the command that shows all. */
static void shorten_report(const char *name, const ls_sim *sim, ls_error *error)
{
    ls_schedule_report *report;
    ls_error whole;
    LS_ASSERT(ls_program_check(sim, &report, &whole) != LS_OK);
    uint32_t first = 0, count = report->count - report->hint_count;
    while (first < report->count && report->findings[first].kind == LS_FINDING_HINT)
        first++;
    if (first < report->count) {
        char more[40] = "";
        if (count > 1)
            snprintf(more, sizeof more, "; and %u more finding%s", count - 1, count > 2 ? "s" : "");
        ls_builder command = {0};
        ls_builder_add(&command, "lockstep schedule check --sim");
        ls_shell_word_add(&command, name);
        (void)ls_error_set(error, LS_ERROR_REFUSED,
                           "the schedule does not build: %.640s%s; `%.240s` shows every finding "
                           "and the orders that settle them",
                           report->findings[first].text, more, command.data);
        ls_free(command.data);
    }
    ls_schedule_report_destroy(report);
}

ls_status ls_sim_load(const char *name, ls_loaded_sim *loaded, ls_error *error)
{
    ls_status status = ls_sim_find(name, loaded, error);
    if (status)
        return status;
    status = ls_program_create(loaded->sim, &loaded->program, error);
    if (status == LS_ERROR_REFUSED)
        shorten_report(name, loaded->sim, error);
    if (status)
        ls_sim_unload(loaded);
    else
        loaded->sim = ls_program_sim(loaded->program); /* with the parts of its modules */
    return status;
}

ls_status ls_sim_load_other(const char *name, ls_loaded_sim *loaded, ls_error *error)
{
    ls_status status = ls_sim_load(name, loaded, error);
    return status ? ls_error_set(error, status, "--other: %.900s", error->text) : LS_OK;
}

void ls_sim_unload(ls_loaded_sim *loaded)
{
    ls_program_destroy(loaded->program);
    if (loaded->library)
        dlclose(loaded->library);
    *loaded = (ls_loaded_sim){0};
}

#include "cli/serve/config_reload.h"

#include "cli/common/arguments.h"
#include "cli/common/number.h"

#include <stdlib.h>
#include <string.h>

static ls_status take_bytes(uint64_t *limit, const char *name, const char *value, ls_error *error)
{
    return ls_parse_bytes(value, limit)
               ? LS_OK
               : ls_error_set(error, LS_ERROR_USAGE,
                              "'%s' takes a number of bytes such as 500M, 20G or 2T, not '%.64s'",
                              name, value);
}

void ls_config_names_add(char names[LS_CONFIG_NAMES_BYTES], const char *name)
{
    size_t used = strlen(names);
    if (used + strlen(", ") + strlen(name) < LS_CONFIG_NAMES_BYTES) {
        strcat(names, used ? ", " : "");
        strcat(names, name);
    }
}

static bool is_limit(const char *name)
{
    return strcmp(name, "keep-days") == 0 || strcmp(name, "keep-bytes") == 0 ||
           strcmp(name, "keep-free") == 0;
}

static ls_status take_limit(ls_config_reload *reload, const char *name, const char *value,
                            ls_error *error)
{
    if (!reload->is_recording)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'%s' deletes recordings, so it needs --record DIR", name);
    if (strcmp(name, "keep-days") == 0) {
        reload->retention.days = (uint32_t)strtoul(value, NULL, 10);
        return LS_OK;
    }
    bool is_total = strcmp(name, "keep-bytes") == 0;
    return take_bytes(is_total ? &reload->retention.bytes : &reload->retention.free_bytes, name,
                      value, error);
}

/* Takes one option of the file. Numbers and choices were checked before. */
static ls_status take_line(void *context, const char *name, const char *value, bool has_changed,
                           ls_error *error)
{
    ls_config_reload *reload = context;
    if (is_limit(name))
        return take_limit(reload, name, value, error);
    if (strcmp(name, "log-level") == 0)
        reload->has_log_level = ls_log_level_parse(value, &reload->log_level);
    else if (has_changed)
        ls_config_names_add(reload->waiting, name);
    return LS_OK;
}

ls_status ls_config_reload_read(const ls_service_options *options, ls_config_reload *reload,
                                ls_error *error)
{
    const ls_retention_limits *limits = &options->retention;
    *reload = (ls_config_reload){.is_recording = options->record != NULL};
    if (ls_arguments_outrank_config("keep-days"))
        reload->retention.days = limits->days;
    if (ls_arguments_outrank_config("keep-bytes"))
        reload->retention.bytes = limits->bytes;
    if (ls_arguments_outrank_config("keep-free"))
        reload->retention.free_bytes = limits->free_bytes;
    return ls_arguments_reread_config(take_line, reload, error);
}

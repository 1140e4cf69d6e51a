/* The options that a running server takes from a changed file of --config: the limits of old
 * recordings and the level of the log. The other options count from the next start on. */
#ifndef LS_CONFIG_RELOAD_H
#define LS_CONFIG_RELOAD_H

#include "cli/serve/service_options.h"

#define LS_CONFIG_NAMES_BYTES 128

typedef struct ls_config_reload {
    bool is_recording; /* matches are recorded; only then limits are allowed */
    ls_retention_limits retention;
    bool has_log_level; /* the file has one; else it stays as `lockstep admin log-level` set it */
    ls_log_level log_level;
    /* Names of options with a new value that need a restart, comma between. */
    char waiting[LS_CONFIG_NAMES_BYTES];
} ls_config_reload;

/* Adds a name and a comma to a list, if there is room. */
void ls_config_names_add(char names[LS_CONFIG_NAMES_BYTES], const char *name);

/* Reads the file again. A limit that the command line or the environment has given stays.
 *   errors  those of ls_argument_settings_reread(), and of a value */
ls_status ls_config_reload_read(const ls_service_options *options, ls_config_reload *reload,
                                ls_error *error) LS_MUST_USE;

#endif

/* Options from other places than the command line: a file and the environment. The command line
 * comes first, then the environment, then the file, then the default. */
#ifndef LS_ARGUMENT_CONFIG_H
#define LS_ARGUMENT_CONFIG_H

#include "cli/common/argument_values.h"

#include <stdio.h>

/* In the order of precedence: the last one wins. */
typedef enum ls_argument_source {
    LS_ARGUMENT_FILE,
    LS_ARGUMENT_ENVIRONMENT,
    LS_ARGUMENT_COMMAND_LINE,
} ls_argument_source;

/* One value that was given. */
typedef struct ls_argument_setting {
    const ls_argument_entry *entry;
    char *value; /* NULL: an option without one */
    ls_argument_source source;
    uint32_t line; /* of a file */
} ls_argument_setting;

typedef struct ls_argument_settings {
    const char *path;    /* of the file */
    char *text, *copies; /* of the file and of the environment; the values point into them */
    ls_argument_setting *list;
    uint32_t count;
} ls_argument_settings;

/* Frees all; the options that were stored must no longer be used. */
void ls_argument_settings_reset(ls_argument_settings *settings);
void ls_argument_settings_add(ls_argument_settings *settings, const ls_argument_setting *setting);

/* Reads every variable that begins with the table's `environment`. An empty one is not set. */
void ls_argument_settings_read_environment(ls_argument_state *state,
                                           ls_argument_settings *settings);
/* Reads the file that the option `config` names, if one of the settings is that option. */
void ls_argument_settings_read_file(ls_argument_state *state, ls_argument_settings *settings);

/* Stores the settings of each option from the place that comes first. */
void ls_argument_settings_store(ls_argument_state *state, const ls_argument_settings *settings);

/* If the error in `text` is about an option from the environment or the file, puts the variable, or
 * the file and the line, before it. Such an error names the option or contains its value. Explains
 * a '#' in a value. */
void ls_argument_settings_locate(const ls_argument_state *state,
                                 const ls_argument_settings *settings,
                                 char text[LS_ERROR_TEXT_BYTES]);

/* Whether the command line or the environment has a value of the option, which the file then does
 * not change. */
bool ls_argument_settings_outrank_file(const ls_argument_settings *settings,
                                       const ls_argument_list *list, const char *name);

/* Gets one line of the file. `has_changed`: the file did not have this value when it was first
 * read. */
typedef ls_status (*ls_argument_reread)(void *context, const char *name, const char *value,
                                        bool has_changed, ls_error *error);
/* Reads the file again, if there is one, and calls `take` for each line whose option has no value
 * on the command line or in the environment. Changes no option.
 *   errors  those of the file, of an unknown name, of a value and of `take`, with the line in the
 *           text */
ls_status ls_argument_settings_reread(const ls_argument_settings *settings,
                                      const ls_argument_list *list, ls_argument_reread take,
                                      void *context, ls_error *error) LS_MUST_USE;

/* Prints all options in the format of the file; defaults are comments. */
void ls_argument_settings_print(const ls_argument_state *state,
                                const ls_argument_settings *settings, FILE *file);

#endif

#include "cli/common/argument_config.h"

#include "cli/common/config_text.h"
#include "cli/common/text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CONFIG      "config"
#define COMMENT     "; a comment needs a line of its own"
#define PLACE_BYTES sizeof((ls_argument_state *)0)->place

void ls_argument_settings_reset(ls_argument_settings *settings)
{
    ls_free(settings->list);
    ls_free(settings->text);
    ls_free(settings->copies);
    *settings = (ls_argument_settings){0};
}

void ls_argument_settings_add(ls_argument_settings *settings, const ls_argument_setting *setting)
{
    uint32_t count = settings->count;
    if ((count & (count - 1)) == 0) /* grows to each power of two */
        settings->list =
            ls_realloc(settings->list, (count ? 2 * count : 1) * sizeof *settings->list);
    settings->list[settings->count++] = *setting;
}

static bool is_config(const ls_argument *argument)
{
    return strcmp(argument->name, CONFIG) == 0;
}

static const ls_argument_entry *find_in(const ls_argument_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->entries[i].argument->name && strcmp(list->entries[i].argument->name, name) == 0)
            return &list->entries[i];
    return NULL;
}

/* Finds the option of this name; an unknown name ends the process. */
static const ls_argument_entry *find(const ls_argument_state *state, const char *name)
{
    const ls_argument_entry *entry = find_in(&state->list, name);
    if (!entry)
        ls_argument_fail_unknown(state, name, strlen(name));
    return entry;
}

/* Whether the source already has a value of this option; `line` is then its place. */
static bool has(const ls_argument_settings *settings, const ls_argument_entry *entry,
                ls_argument_source source, uint32_t *line)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        const ls_argument_setting *setting = &settings->list[i];
        if (setting->entry != entry || setting->source != source)
            continue;
        *line = setting->line;
        return true;
    }
    return false;
}

static void add(const ls_argument_state *state, ls_argument_settings *settings,
                ls_argument_setting *setting)
{
    const ls_argument *argument = setting->entry->argument;
    uint32_t line = 0;
    if (!argument->is_repeatable && has(settings, setting->entry, setting->source, &line))
        ls_argument_fail(state, "'%s' is there already%s%.0u: keep one", argument->name,
                         line ? ", on line " : "", line);
    ls_error error;
    if (!argument->value && ls_argument_check(argument, setting->value, &error) != LS_OK)
        ls_argument_fail(state, "%s", error.text);
    ls_argument_settings_add(settings, setting);
}

/* "TOKEN_KEY" becomes "token-key". */
static void name_option(const char *variable, size_t bytes, char name[64])
{
    size_t i = 0;
    for (; i < bytes && i < 63; i++)
        name[i] = (char)(variable[i] == '_'                         ? '-'
                         : variable[i] >= 'A' && variable[i] <= 'Z' ? variable[i] - 'A' + 'a'
                                                                    : variable[i]);
    name[i] = 0;
}

/* Adds one value for each line of a variable: an option that may be repeated has several. */
static void add_variable(ls_argument_state *state, ls_argument_settings *settings, char *variable,
                         size_t skipped)
{
    char name[64];
    char *equals = strchr(variable, '=');
    if (!equals || !equals[1])
        return;
    name_option(variable + skipped, (size_t)(equals - variable) - skipped, name);
    snprintf(state->place, sizeof state->place, "%.*s: ", (int)(equals - variable), variable);
    ls_argument_setting setting = {.entry = find(state, name), .source = LS_ARGUMENT_ENVIRONMENT};
    if (setting.entry->argument->is_action)
        ls_argument_fail(state, "'%s' belongs on the command line", name);
    for (char *value = equals + 1, *next; value; value = next) {
        next = strchr(value, '\n');
        if (next)
            *next++ = 0;
        setting.value = value;
        if (value[0])
            add(state, settings, &setting);
    }
}

/* Refuses what Kubernetes sets for a Service with the name of the prefix: its PREFIX_PORT looks
 * like an option. */
static void check_service(const ls_argument_state *state, const char *prefix)
{
    char host[64];
    snprintf(host, sizeof host, "%sSERVICE_HOST", prefix);
    if (getenv(host))
        ls_argument_fail(state,
                         "%s: Kubernetes sets this and %sPORT for a Service: give the Service "
                         "another name, or set `enableServiceLinks: false` in the pod",
                         host, prefix);
}

void ls_argument_settings_read_environment(ls_argument_state *state, ls_argument_settings *settings)
{
    const char *prefix = state->arguments->environment;
    size_t skipped = strlen(prefix), bytes = 0;
    check_service(state, prefix);
    for (char **variable = environ; *variable; variable++)
        if (strncmp(*variable, prefix, skipped) == 0)
            bytes += strlen(*variable) + 1;
    char *copy = settings->copies = ls_alloc(bytes + 1);
    for (char **variable = environ; *variable; variable++) {
        if (strncmp(*variable, prefix, skipped) != 0)
            continue;
        strcpy(copy, *variable);
        char *next = copy + strlen(copy) + 1;
        add_variable(state, settings, copy, skipped);
        copy = next;
    }
    state->place[0] = 0;
}

static void find_path(ls_argument_settings *settings)
{
    ls_argument_source source = LS_ARGUMENT_FILE;
    for (uint32_t i = 0; i < settings->count; i++) {
        const ls_argument_setting *setting = &settings->list[i];
        if (!is_config(setting->entry->argument) || setting->source < source)
            continue;
        source = setting->source;
        settings->path = setting->value;
    }
}

/* Refuses an option that a file cannot have. */
static ls_status check_place(const ls_argument *argument, ls_error *error)
{
    return argument->is_action || is_config(argument)
               ? ls_error_set(error, LS_ERROR_USAGE, "'%s' belongs on the command line",
                              argument->name)
               : LS_OK;
}

static void set_place(char place[PLACE_BYTES], const char *path, uint32_t line)
{
    snprintf(place, PLACE_BYTES, "%.256s:%" PRIu32 ": ", path, line);
}

void ls_argument_settings_read_file(ls_argument_state *state, ls_argument_settings *settings)
{
    ls_config_text text;
    ls_error error;
    size_t bytes;
    find_path(settings);
    if (!settings->path)
        return;
    ls_status status = ls_text_file_read_bytes(settings->path, LS_CONFIG_BYTES_MAX, &settings->text,
                                               &bytes, &error);
    if (status)
        ls_argument_fail(state, "--" CONFIG ": %s", error.text);
    ls_config_text_begin(&text, settings->text, bytes);
    while ((status = ls_config_text_next(&text, &error)) == LS_OK && text.name) {
        set_place(state->place, settings->path, text.line);
        const ls_argument_entry *entry = find(state, text.name);
        if (check_place(entry->argument, &error) != LS_OK)
            ls_argument_fail(state, "%s", error.text);
        add(state, settings,
            &(ls_argument_setting){.entry = entry,
                                   .value = text.value,
                                   .source = LS_ARGUMENT_FILE,
                                   .line = text.line});
    }
    set_place(state->place, settings->path, text.line);
    if (status)
        ls_argument_fail(state, "%s", error.text);
    state->place[0] = 0;
}

/* Whether a source that takes precedence over this one has a value of the option. */
static bool is_overridden(const ls_argument_settings *settings, const ls_argument_setting *setting)
{
    uint32_t line;
    for (ls_argument_source source = setting->source + 1; source <= LS_ARGUMENT_COMMAND_LINE;
         source++)
        if (has(settings, setting->entry, source, &line))
            return true;
    return false;
}

static bool is_outranked(const ls_argument_settings *settings, const ls_argument_entry *entry)
{
    return is_overridden(settings,
                         &(ls_argument_setting){.entry = entry, .source = LS_ARGUMENT_FILE});
}

bool ls_argument_settings_outrank_file(const ls_argument_settings *settings,
                                       const ls_argument_list *list, const char *name)
{
    const ls_argument_entry *entry = find_in(list, name);
    return entry && is_outranked(settings, entry);
}

static bool has_in_file(const ls_argument_settings *settings, const ls_argument_entry *entry,
                        const char *value)
{
    for (uint32_t i = 0; i < settings->count; i++) {
        const ls_argument_setting *setting = &settings->list[i];
        if (setting->entry == entry && setting->source == LS_ARGUMENT_FILE &&
            strcmp(setting->value, value) == 0)
            return true;
    }
    return false;
}

static ls_status reread_line(const ls_argument_settings *settings, const ls_argument_list *list,
                             const ls_config_text *line, ls_argument_reread take, void *context,
                             ls_error *error)
{
    const ls_argument_entry *entry = find_in(list, line->name);
    const char *nearest = entry ? NULL : ls_argument_suggest(list, line->name);
    if (!entry)
        return ls_error_set(error, LS_ERROR_USAGE, "unknown option '%.64s'%s%s%s", line->name,
                            nearest ? ", did you mean '" : "", nearest ? nearest : "",
                            nearest ? "'?" : "");
    ls_status status = check_place(entry->argument, error);
    if (status || is_outranked(settings, entry))
        return status;
    status = ls_argument_check(entry->argument, line->value, error);
    if (status)
        return status;
    return take(context, line->name, line->value, !has_in_file(settings, entry, line->value),
                error);
}

ls_status ls_argument_settings_reread(const ls_argument_settings *settings,
                                      const ls_argument_list *list, ls_argument_reread take,
                                      void *context, ls_error *error)
{
    ls_config_text line;
    char *text;
    size_t bytes;
    if (!settings->path)
        return LS_OK;
    ls_status status =
        ls_text_file_read_bytes(settings->path, LS_CONFIG_BYTES_MAX, &text, &bytes, error);
    if (status)
        return status;
    ls_config_text_begin(&line, text, bytes);
    while ((status = ls_config_text_next(&line, error)) == LS_OK && line.name)
        if ((status = reread_line(settings, list, &line, take, context, error)) != LS_OK)
            break;
    if (status)
        ls_error_set(error, status, "%.256s:%" PRIu32 ": %s", settings->path, line.line,
                     error->text);
    ls_free(text);
    return status;
}

static bool is_no(const ls_argument_setting *setting)
{
    return !setting->entry->argument->value && setting->value && strcmp(setting->value, "no") == 0;
}

/* Names the variable or the line of a setting in errors. */
static void say_place(const ls_argument_state *state, const ls_argument_settings *settings,
                      const ls_argument_setting *setting, char place[PLACE_BYTES])
{
    place[0] = 0;
    if (setting->source == LS_ARGUMENT_FILE)
        set_place(place, settings->path, setting->line);
    if (setting->source != LS_ARGUMENT_ENVIRONMENT)
        return;
    size_t used = (size_t)snprintf(place, PLACE_BYTES, "%s", state->arguments->environment);
    for (const char *letter = setting->entry->argument->name; *letter; letter++)
        place[used++] = (char)(*letter == '-' ? '_' : *letter - 'a' + 'A');
    memcpy(place + used, ": ", sizeof ": ");
}

/* Whether the text has this word, alone, after one of the characters `before`. */
static bool has_word(const char *text, const char *word, const char *before)
{
    size_t bytes = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) {
        bool is_begin = at > text ? strchr(before, at[-1]) != NULL : strchr(before, ' ') != NULL;
        if (is_begin && strchr(" '\"`:,;)", at[bytes]))
            return true;
    }
    return false;
}

/* How surely an error is about this setting. 0: it is not. */
static uint32_t relevance(const ls_argument_setting *setting, const char *text)
{
    const char *value = setting->value ? setting->value : "";
    char name[64];
    snprintf(name, sizeof name, "--%s", setting->entry->argument->name);
    bool is_valued = value[0] && has_word(text, value, strpbrk(value, "/=") ? " '\"`" : "'\"`");
    return 2 * has_word(text, name, " `(") + is_valued;
}

void ls_argument_settings_locate(const ls_argument_state *state,
                                 const ls_argument_settings *settings,
                                 char text[LS_ERROR_TEXT_BYTES])
{
    const ls_argument_setting *found = NULL;
    char place[PLACE_BYTES], copy[LS_ERROR_TEXT_BYTES];
    uint32_t best = 0;
    place[0] = 0;
    for (uint32_t i = 0; !state->place[0] && i < settings->count; i++) {
        const ls_argument_setting *setting = &settings->list[i];
        uint32_t now = is_overridden(settings, setting) ? 0 : relevance(setting, text);
        if (now <= best)
            continue;
        best = now;
        found = setting;
    }
    if (found)
        say_place(state, settings, found, place);
    bool has_comment = settings->path && strstr(text, " #");
    snprintf(copy, sizeof copy, "%s", text);
    snprintf(text, LS_ERROR_TEXT_BYTES, "%s%.*s%s", place,
             (int)(LS_ERROR_TEXT_BYTES - PLACE_BYTES - sizeof COMMENT), copy,
             has_comment ? COMMENT : "");
}

void ls_argument_settings_store(ls_argument_state *state, const ls_argument_settings *settings)
{
    for (ls_argument_source source = LS_ARGUMENT_FILE; source <= LS_ARGUMENT_COMMAND_LINE; source++)
        for (uint32_t i = 0; i < settings->count; i++) {
            const ls_argument_setting *setting = &settings->list[i];
            if (setting->source != source || is_no(setting) || is_overridden(settings, setting))
                continue;
            say_place(state, settings, setting, state->place);
            ls_argument_store(state, setting->entry, setting->value);
        }
    state->place[0] = 0;
}

static uint64_t load_number(const ls_argument *argument, const uint8_t *at)
{
    uint64_t value = argument->bytes == sizeof(uint16_t)   ? *(const uint16_t *)(const void *)at
                     : argument->bytes == sizeof(uint32_t) ? *(const uint32_t *)(const void *)at
                                                           : *(const uint64_t *)(const void *)at;
    return value / (argument->scale ? argument->scale : 1);
}

/* Prints the default of an option, or the placeholder of its value where the program chooses. */
static void print_default(const ls_argument_entry *entry, FILE *file)
{
    const ls_argument *argument = entry->argument;
    const uint8_t *at = (const uint8_t *)entry->target + argument->at;
    const char *text = argument->value;
    fprintf(file, "# %s = ", argument->name);
    if (argument->type == LS_ARGUMENT_NUMBER && !argument->has) {
        uint64_t number = load_number(argument, at);
        if (number >= argument->min && number <= argument->max) {
            fprintf(file, "%" PRIu64 "\n", number);
            return;
        }
    }
    if (argument->type == LS_ARGUMENT_FLAG)
        text = "no";
    else if (argument->type == LS_ARGUMENT_CHOICE)
        text = argument->choices[*(const uint32_t *)(const void *)at];
    else if (argument->type == LS_ARGUMENT_TEXT && *(const char *const *)(const void *)at)
        text = *(const char *const *)(const void *)at;
    fprintf(file, "%s\n", text);
}

static void print_option(const ls_argument_state *state, const ls_argument_settings *settings,
                         const ls_argument_entry *entry, FILE *file)
{
    const ls_argument *argument = entry->argument;
    const ls_argument_setting *last = NULL;
    for (uint32_t i = 0; i < settings->count; i++) {
        const ls_argument_setting *setting = &settings->list[i];
        if (setting->entry != entry || is_overridden(settings, setting))
            continue;
        const char *value = argument->value ? setting->value : is_no(setting) ? "no" : "yes";
        if (!ls_config_text_can_have(value))
            ls_argument_fail(state, "a file cannot express the value '%s' of --%s", value,
                             argument->name);
        if (argument->is_repeatable)
            fprintf(file, "%s = %s\n", argument->name, value);
        last = setting;
    }
    if (!last)
        print_default(entry, file);
    else if (!argument->is_repeatable)
        fprintf(file, "%s = %s\n", argument->name,
                argument->value ? last->value
                : is_no(last)   ? "no"
                                : "yes");
}

void ls_argument_settings_print(const ls_argument_state *state,
                                const ls_argument_settings *settings, FILE *file)
{
    const char *title = NULL; /* of options that are still to come */
    fprintf(file, "# %s: comments are defaults\n", state->command);
    for (uint32_t i = 0; i < state->list.count; i++) {
        const ls_argument_entry *entry = &state->list.entries[i];
        const ls_argument *argument = entry->argument;
        if (!argument->name)
            title = argument->help;
        else if (!argument->is_hidden && !argument->is_action && !is_config(argument) &&
                 entry->target) {
            if (title)
                fprintf(file, "\n# %s\n", title);
            title = NULL;
            print_option(state, settings, entry, file);
        }
    }
}

#include "cli/common/config_text.h"

#include <string.h>

static const char blanks[] = " \t\r";

void ls_config_text_begin(ls_config_text *self, char *text, size_t bytes)
{
    *self = (ls_config_text){.next = text, .end = text + bytes};
}

/* Takes the blanks off both ends. */
static char *trim(char *begin, char *end)
{
    while (end > begin && strchr(blanks, end[-1]))
        end--;
    *end = 0;
    return begin + strspn(begin, blanks);
}

static ls_status split(ls_config_text *self, char *line, char *end, ls_error *error)
{
    char *equals = memchr(line, '=', (size_t)(end - line));
    if (!equals)
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'%.64s' is no setting: write `option = value`, such as `port = 7777`, "
                            "or `option = yes`",
                            line);
    self->name = trim(line, equals);
    self->value = trim(equals + 1, end);
    if (!self->name[0])
        return ls_error_set(error, LS_ERROR_USAGE, "there is no option before '='");
    if (!self->value[0])
        return ls_error_set(error, LS_ERROR_USAGE,
                            "'%.64s' has no value; begin the line with # to leave it out",
                            self->name);
    return LS_OK;
}

ls_status ls_config_text_next(ls_config_text *self, ls_error *error)
{
    self->name = self->value = NULL;
    while (self->next < self->end) {
        char *end = memchr(self->next, '\n', (size_t)(self->end - self->next));
        char *after = end ? end + 1 : self->end;
        end = end ? end : self->end;
        self->line++;
        if (memchr(self->next, 0, (size_t)(end - self->next)))
            return ls_error_set(error, LS_ERROR_USAGE, "a zero byte: this is no text file");
        char *line = trim(self->next, end);
        self->next = after;
        if (line[0] && line[0] != '#')
            return split(self, line, line + strlen(line), error);
    }
    return LS_OK;
}

bool ls_config_text_can_have(const char *value)
{
    size_t bytes = strlen(value);
    return bytes > 0 && !strchr(value, '\n') && !strchr(blanks, value[0]) &&
           !strchr(blanks, value[bytes - 1]);
}

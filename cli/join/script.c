#include "cli/join/script.h"

#include "cli/common/number.h"
#include "cli/common/text_file.h"
#include "core/base/grow.h"

#include <string.h>

/* The line being read. */
struct cursor {
    const char *path;
    uint32_t number;
    char *at;
};

static ls_status refuse(const struct cursor *line, const char *why, ls_error *error)
{
    return ls_error_set(error, LS_ERROR_USAGE,
                        "%s:%u: %s; a line is \"TICK HEX\" or \"state TICK HEX\"", line->path,
                        line->number, why);
}

/* Returns the next word, zero-terminated; NULL at the end of the line. */
static char *take_word(struct cursor *line)
{
    line->at += strspn(line->at, " \t\r");
    if (!*line->at)
        return NULL;
    char *word = line->at;
    line->at += strcspn(line->at, " \t\r");
    if (*line->at)
        *line->at++ = 0;
    return word;
}

static int digit_of(char sign)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = sign ? strchr(digits, sign >= 'A' && sign <= 'F' ? sign + 32 : sign) : NULL;
    return found ? (int)(found - digits) : -1;
}

static bool parse_hex(const char *text, ls_script_line *line)
{
    size_t length = strlen(text);
    if (length == 0 || length % 2 || length / 2 > LS_INPUT_BYTES_MAX)
        return false;
    line->bytes = (uint16_t)(length / 2);
    for (uint32_t i = 0; i < line->bytes; i++) {
        int high = digit_of(text[2 * i]), low = digit_of(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        line->data[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static ls_script_line *append(ls_script_lines *lines)
{
    lines->items = ls_grow(lines->items, lines->count, &lines->capacity, sizeof *lines->items);
    return &lines->items[lines->count++];
}

static ls_status read_line(struct cursor *line, ls_script *script, ls_error *error)
{
    line->at[strcspn(line->at, "#")] = 0;
    char *word = take_word(line);
    if (!word)
        return LS_OK;
    bool is_state = strcmp(word, "state") == 0;
    if (is_state)
        word = take_word(line);
    char *hex = take_word(line);
    ls_script_line read = {.number = line->number};
    if (!word || !ls_parse_u64(word, 0, UINT32_MAX, &read.tick))
        return refuse(line, "TICK is missing, or no number", error);
    if (!hex || !parse_hex(hex, &read))
        return refuse(line, "no bytes in hexadecimal: 1 to 256 are needed", error);
    if (take_word(line))
        return refuse(line, "words after the bytes: a line has one input", error);
    ls_script_lines *lines = is_state ? &script->states : &script->orders;
    if (lines->count && read.tick < lines->items[lines->count - 1].tick + is_state)
        return refuse(line, "the tick is not after those before: sort the lines by tick", error);
    *append(lines) = read;
    return LS_OK;
}

ls_status ls_script_read(const char *path, ls_script *script, ls_error *error)
{
    char *text;
    *script = (ls_script){0};
    ls_status status = ls_text_file_read(path, LS_SCRIPT_BYTES_MAX, &text, error);
    if (status)
        return status == LS_ERROR_IO ? LS_ERROR_USAGE : status; /* the user can fix the path */
    struct cursor line = {.path = path};
    for (char *next = text; !status && next && *next;) {
        line.at = next;
        line.number++;
        next = strchr(next, '\n');
        if (next)
            *next++ = 0;
        status = read_line(&line, script, error);
    }
    ls_free(text);
    if (status)
        ls_script_reset(script);
    return status;
}

ls_status ls_script_check(const ls_script *script, const char *path, uint32_t state_bytes,
                          ls_error *error)
{
    for (uint32_t i = 0; i < script->states.count; i++) {
        const ls_script_line *line = &script->states.items[i];
        if (!state_bytes)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "%s:%u: this simulation takes no states; a line is an order: "
                                "`TICK HEX`",
                                path, line->number);
        if (line->bytes != state_bytes)
            return ls_error_set(error, LS_ERROR_USAGE,
                                "%s:%u: a state of this simulation has %u bytes, not %u", path,
                                line->number, state_bytes, line->bytes);
    }
    return LS_OK;
}

void ls_script_reset(ls_script *script)
{
    ls_free(script->orders.items);
    ls_free(script->states.items);
    *script = (ls_script){0};
}

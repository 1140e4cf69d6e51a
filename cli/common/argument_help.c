#include "cli/common/argument_help.h"

#include <string.h>

/* Columns of a letter, of a name, of the text beside them, and of a continued summary. */
enum { LETTER_COLUMN = 2, NAME_COLUMN = 6, TEXT_COLUMN = 29, USAGE_COLUMN = 12 };

static bool is_before(const ls_argument_entry *a, const ls_argument_entry *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    if (!a->argument->name || !b->argument->name)
        return !a->argument->name && b->argument->name;
    return strcmp(a->argument->name, b->argument->name) < 0;
}

void ls_argument_list_sort(ls_argument_list *list)
{
    for (uint32_t i = 1; i < list->count; i++) {
        ls_argument_entry entry = list->entries[i];
        uint32_t j = i;
        for (; j > 0 && is_before(&entry, &list->entries[j - 1]); j--)
            list->entries[j] = list->entries[j - 1];
        list->entries[j] = entry;
    }
}

/* Where the next character goes. */
struct page {
    FILE *file;
    uint32_t columns, column;
};

static void put(struct page *page, const char *text, size_t bytes)
{
    fwrite(text, 1, bytes, page->file);
    page->column += (uint32_t)bytes;
}

static void end_line(struct page *page)
{
    fputc('\n', page->file);
    page->column = 0;
}

static void fill_to(struct page *page, uint32_t column)
{
    while (page->column < column)
        put(page, " ", 1);
}

/* Returns how much of a line fits into `room`: up to a blank, or its first word. */
static size_t fit(const char *line, size_t bytes, size_t room)
{
    if (bytes <= room)
        return bytes;
    size_t end = room;
    while (end > 0 && line[end] != ' ')
        end--;
    if (end > 0)
        return end;
    while (end < bytes && line[end] != ' ')
        end++;
    return end;
}

/* The column of the words in an item such as "  8  hung": the rest of the item goes below them. */
static uint32_t find_words(const char *line, size_t bytes)
{
    size_t blanks = strspn(line, " "), at = blanks;
    while (at + 1 < bytes && (line[at] != ' ' || line[at + 1] != ' '))
        at++;
    return (uint32_t)(at + 1 < bytes && blanks > 0 ? at + strspn(line + at, " ") : blanks);
}

/* Prints a text from the current column, and breaks its lines at blanks. The lines after its first
 * begin in the column `indent`. */
static void put_text(struct page *page, const char *text, size_t bytes, uint32_t indent)
{
    uint32_t words = 0;
    bool is_broken = false;
    for (const char *end = text + bytes; text < end;) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t line = (size_t)((newline ? newline : end) - text);
        if (!is_broken)
            words = find_words(text, line);
        if (line > 0)
            fill_to(page, is_broken ? indent + words : indent);
        size_t room = page->columns > page->column ? page->columns - page->column : 0;
        size_t part = fit(text, line, room);
        put(page, text, part);
        text += part;
        is_broken = part < line;
        if (is_broken)
            text += strspn(text, " ");
        else if (newline)
            text++;
        if (is_broken || newline)
            end_line(page);
    }
}

/* Prints one part of a summary, on a new line if this one has no room. */
static void put_part(struct page *page, const char *part, size_t bytes)
{
    if (page->column + 1 + bytes > page->columns) {
        end_line(page);
        fill_to(page, USAGE_COLUMN);
    } else
        put(page, " ", 1);
    put(page, part, bytes);
}

static void put_item(struct page *page, const char *item)
{
    put_part(page, item, strlen(item));
}

static void put_items(struct page *page, const ls_argument_list *list)
{
    char letters[LS_ARGUMENTS_MAX + 4] = "[-";
    char item[128];
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        if (argument->letter && !argument->value && !argument->is_hidden)
            strncat(letters, &argument->letter, 1);
    }
    put_item(page, strcat(letters, "]"));
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        if (!argument->letter || !argument->value || argument->is_hidden)
            continue;
        snprintf(item, sizeof item, "[-%c %s]", argument->letter, argument->value);
        put_item(page, item);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const ls_argument *argument = list->entries[i].argument;
        if (!argument->name || argument->is_hidden)
            continue;
        snprintf(item, sizeof item, "[--%s%s%s]", argument->name, argument->value ? "=" : "",
                 argument->value ? argument->value : "");
        put_item(page, item);
    }
}

/* Prints a line for each form of the arguments; `has_options`: the first one lists all options. */
static void put_forms(struct page *page, const ls_argument_help *help, bool has_options)
{
    const char *form = help->arguments->usage ? help->arguments->usage : "";
    const char *title = "Usage:";
    do {
        put(page, title, strlen(title));
        put_item(page, help->command);
        if (has_options)
            put_items(page, help->list);
        else
            put_item(page, "[OPTION...]");
        size_t bytes = strcspn(form, "\n");
        if (bytes > 0)
            put_part(page, form, bytes);
        end_line(page);
        has_options = false;
        title = "  or: ";
        form = form[bytes] ? form + bytes + 1 : NULL;
    } while (form);
}

static void put_option(struct page *page, const ls_argument *argument)
{
    char name[128];
    if (argument->letter) {
        fill_to(page, LETTER_COLUMN);
        snprintf(name, sizeof name, "-%c, ", argument->letter);
        put(page, name, strlen(name));
    }
    fill_to(page, NAME_COLUMN);
    snprintf(name, sizeof name, "--%s%s%s", argument->name, argument->value ? "=" : "",
             argument->value ? argument->value : "");
    put(page, name, strlen(name));
    if (page->column > TEXT_COLUMN + 3)
        end_line(page);
    else if (page->column >= TEXT_COLUMN)
        put(page, "   ", 3);
    put_text(page, argument->help, strlen(argument->help), TEXT_COLUMN);
    end_line(page);
}

void ls_argument_help_print(const ls_argument_help *help, FILE *file)
{
    struct page page = {.file = file, .columns = help->columns};
    const char *doc = help->arguments->doc ? help->arguments->doc : "";
    size_t before = strcspn(doc, "\v");
    put_forms(&page, help, false);
    put_text(&page, doc, before, 0);
    end_line(&page);
    for (uint32_t i = 0; i < help->list->count; i++) {
        const ls_argument_entry *entry = &help->list->entries[i];
        if (entry->argument->is_hidden)
            continue;
        if (i == 0 || entry->group != entry[-1].group)
            end_line(&page);
        if (entry->argument->name) {
            put_option(&page, entry->argument);
        } else {
            fprintf(file, " %s\n", entry->argument->help);
        }
    }
    if (!doc[before])
        return;
    end_line(&page);
    put_text(&page, doc + before + 1, strlen(doc + before + 1), 0);
    if (page.column > 0)
        end_line(&page);
}

void ls_argument_usage_print(const ls_argument_help *help, FILE *file)
{
    struct page page = {.file = file, .columns = help->columns};
    put_forms(&page, help, true);
}

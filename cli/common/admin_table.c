#include "cli/common/admin_table.h"

#include "core/base/json_writer.h"

#include <string.h>

void ls_admin_table_put(ls_builder *text, const char *cell)
{
    for (; *cell; cell++) {
        char letter = (unsigned char)*cell < 0x20 || *cell == 0x7f ? '?' : *cell;
        ls_builder_put(text, &letter, 1);
    }
}

/* Ends the cell at `text` and returns the next one; NULL: it was the last of the line. */
static char *end_cell(char *text)
{
    char *tab = strchr(text, '\t');
    if (tab)
        *tab++ = 0;
    return tab;
}

/* Ends the line at `text` and returns the next one; NULL: it is not whole. */
static char *end_line(char *text)
{
    char *newline = strchr(text, '\n');
    if (newline)
        *newline++ = 0;
    return newline;
}

static ls_status parse_head(ls_admin_table *table, char *line, ls_error *error)
{
    for (char *next; line; line = next) {
        next = end_cell(line);
        char *colon = strrchr(line, ':');
        if (table->column_count == LS_ADMIN_COLUMNS_MAX || !colon || !colon[1] || colon[2] ||
            !strchr("snb", colon[1]))
            return ls_error_set(error, LS_ERROR_CORRUPT, "the table has a column '%.40s'", line);
        *colon = 0;
        table->names[table->column_count] = line;
        table->types[table->column_count++] = colon[1];
    }
    return LS_OK;
}

static bool is_number(const char *cell)
{
    size_t digits = strspn(cell + (*cell == '-'), "0123456789");
    const char *after = cell + (*cell == '-') + digits;
    if (*after == '.')
        after += 1 + strspn(after + 1, "0123456789");
    return digits > 0 && !*after && after[-1] != '.';
}

static bool is_of_type(const char *cell, char type)
{
    return type == LS_ADMIN_NUMBER ? is_number(cell)
           : type == LS_ADMIN_BOOL ? strcmp(cell, "yes") == 0 || strcmp(cell, "no") == 0
                                   : true;
}

static ls_status parse_row(ls_admin_table *table, char *line, ls_error *error)
{
    const char **cells = table->cells + (size_t)table->row_count * table->column_count;
    uint32_t count = 0;
    for (char *next; line && count < table->column_count; line = next, count++) {
        next = end_cell(line);
        cells[count] = line;
        if (!is_of_type(line, table->types[count]))
            return ls_error_set(error, LS_ERROR_CORRUPT, "'%.40s' is no value of column '%s'", line,
                                table->names[count]);
    }
    if (line || count < table->column_count)
        return ls_error_set(error, LS_ERROR_CORRUPT, "row %u has another number of cells",
                            table->row_count);
    table->row_count++;
    return LS_OK;
}

ls_status ls_admin_table_parse(ls_admin_table *table, char *text, ls_error *error)
{
    uint32_t lines = 0;
    *table = (ls_admin_table){0};
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    char *next = end_line(text);
    if (!next || lines > LS_ADMIN_ROWS_MAX + 1)
        return ls_error_set(error, LS_ERROR_CORRUPT, "the answer is no table");
    ls_status status = parse_head(table, text, error);
    if (!status)
        table->cells = ls_alloc((size_t)lines * table->column_count * sizeof *table->cells);
    for (char *line = next; !status && *line; line = next) {
        next = end_line(line);
        status = next ? parse_row(table, line, error)
                      : ls_error_set(error, LS_ERROR_CORRUPT, "the last row is cut off");
    }
    return status;
}

void ls_admin_table_reset(ls_admin_table *table)
{
    ls_free(table->cells);
    *table = (ls_admin_table){0};
}

static const char *cell_at(const ls_admin_table *table, uint32_t row, uint32_t column)
{
    return table->cells[(size_t)row * table->column_count + column];
}

const char *ls_admin_table_cell(const ls_admin_table *table, uint32_t row, const char *name)
{
    for (uint32_t i = 0; i < table->column_count; i++)
        if (strcmp(table->names[i], name) == 0)
            return cell_at(table, row, i);
    return "";
}

/* The columns that a text takes in a terminal, if each character takes one. */
static uint32_t width_of(const char *text)
{
    uint32_t width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

static void put_padded(ls_builder *text, const char *cell, uint32_t width, bool is_right)
{
    uint32_t own = width_of(cell), gap = width > own ? width - own : 0;
    ls_builder_add(text, "%*s%s%*s", is_right ? (int)gap : 0, "", cell, is_right ? 0 : (int)gap,
                   "");
}

/* Removes the blanks after the last cell of a line. */
static void finish_line(ls_builder *text)
{
    while (text->count && text->data[text->count - 1] == ' ')
        ls_builder_cut(text, 1);
    ls_builder_add(text, "\n");
}

static void print_list(const ls_admin_table *table, ls_builder *text)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < table->column_count; i++)
        width = width_of(table->names[i]) > width ? width_of(table->names[i]) : width;
    for (uint32_t i = 0; i < table->column_count; i++) {
        put_padded(text, table->names[i], width + 2, false);
        ls_builder_add(text, "%s", cell_at(table, 0, i));
        finish_line(text);
    }
}

void ls_admin_table_print(const ls_admin_table *table, bool is_list, ls_builder *text)
{
    uint32_t widths[LS_ADMIN_COLUMNS_MAX];
    if (is_list && table->row_count) {
        print_list(table, text);
        return;
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        widths[i] = width_of(table->names[i]);
        for (uint32_t row = 0; row < table->row_count; row++) {
            uint32_t width = width_of(cell_at(table, row, i));
            widths[i] = width > widths[i] ? width : widths[i];
        }
    }
    for (uint32_t line = 0; line <= table->row_count; line++) {
        for (uint32_t i = 0; i < table->column_count; i++) {
            const char *cell = line ? cell_at(table, line - 1, i) : table->names[i];
            ls_builder_add(text, i ? "  " : "");
            put_padded(text, cell, widths[i], table->types[i] == LS_ADMIN_NUMBER);
        }
        finish_line(text);
    }
}

static void print_row(const ls_admin_table *table, uint32_t row, ls_builder *text)
{
    ls_json_open(text, NULL, '{');
    for (uint32_t i = 0; i < table->column_count; i++) {
        const char *cell = cell_at(table, row, i);
        if (table->types[i] == LS_ADMIN_NUMBER)
            ls_json_raw(text, table->names[i], cell);
        else if (table->types[i] == LS_ADMIN_BOOL)
            ls_json_bool(text, table->names[i], strcmp(cell, "yes") == 0);
        else
            ls_json_string(text, table->names[i], cell);
    }
    ls_json_close(text, '}');
}

void ls_admin_table_print_json(const ls_admin_table *table, bool is_list, ls_builder *text)
{
    if (is_list && table->row_count) {
        print_row(table, 0, text);
    } else {
        ls_json_open(text, NULL, '[');
        for (uint32_t row = 0; row < table->row_count; row++) {
            ls_json_line(text, 1);
            print_row(table, row, text);
        }
        ls_json_close_lines(text, 0, ']');
    }
    ls_builder_add(text, "\n");
}

/* A table as a server sends it to `lockstep admin`: lines of cells with tabs between them. The
 * first line has the names of the columns, each with a colon and its type after it. */
#ifndef LS_ADMIN_TABLE_H
#define LS_ADMIN_TABLE_H

#include "core/base/builder.h"

/* The types, after the colon of a column's name. */
#define LS_ADMIN_TEXT   's'
#define LS_ADMIN_NUMBER 'n' /* as in JSON */
#define LS_ADMIN_BOOL   'b' /* yes or no */

#define LS_ADMIN_COLUMNS_MAX 64
#define LS_ADMIN_ROWS_MAX    16384

/* Adds a text as a cell: control characters become '?'. The caller adds tabs and line ends. */
void ls_admin_table_put(ls_builder *text, const char *cell);

typedef struct ls_admin_table {
    uint32_t column_count, row_count;
    const char *names[LS_ADMIN_COLUMNS_MAX];
    char types[LS_ADMIN_COLUMNS_MAX];
    const char **cells; /* row by row */
} ls_admin_table;

/* Splits `text`, which the cells then point into.
 *   errors  CORRUPT: the text is no table
 *   owns    ls_admin_table_reset() by the caller, also after an error */
ls_status ls_admin_table_parse(ls_admin_table *table, char *text, ls_error *error) LS_MUST_USE;
void ls_admin_table_reset(ls_admin_table *table);

/* Returns the cell of a row in the column of this name; "" if there is none. */
const char *ls_admin_table_cell(const ls_admin_table *table, uint32_t row, const char *name);

/* Prints aligned columns with a heading; with `is_list` the first row as lines of name and value.
 */
void ls_admin_table_print(const ls_admin_table *table, bool is_list, ls_builder *text);
/* Prints an array of objects, or with `is_list` the first row as one object. */
void ls_admin_table_print_json(const ls_admin_table *table, bool is_list, ls_builder *text);

#endif

/* Match data: rows that are computed once for a match and never change. A program keeps the data of
 * all running matches, so that all worlds of one match share it. */
#ifndef LS_MATCH_DATA_H
#define LS_MATCH_DATA_H
#include "core/schedule/program_data.h"

typedef struct ls_match_data {
    struct ls_match_data *next;
    ls_match match;
    uint32_t refs;
    uint64_t hash; /* hash of all rows, independent of the order of tables in the list */
    uint32_t counts[LS_MATCH_TABLES_MAX]; /* by index in the simulation's list */
    void *rows[LS_MATCH_TABLES_MAX];
    ls_match *seen; /* the match as modules see it, by number of the module; NULL without modules */
} ls_match_data;

typedef struct ls_match_cache ls_match_cache;

ls_match_cache *ls_match_cache_create(void);
/* Call it after the last world is destroyed. NULL is allowed. */
void ls_match_cache_destroy(ls_match_cache *cache);

/* Checks the simulation's match data tables.
 *   errors  LS_ERROR_USAGE, LS_ERROR_LIMIT; the message names table and field */
ls_status ls_match_tables_check(const ls_sim *sim, ls_error *error) LS_MUST_USE;
/* Fills in the indexes of the tables, sorted by name. */
void ls_match_tables_order(const ls_sim *sim, uint32_t *order);

/* Gives the data of the match and counts the reference; computes the data if no world has it.
 *   errors  LS_ERROR_LIMIT: a table wants more than LS_MATCH_ROWS_MAX rows
 *   thread  any; a thread waits while another one computes the data of any match of the program */
ls_status ls_match_data_take(const ls_program *program, const ls_match *match,
                             const ls_match_data **data, ls_error *error) LS_MUST_USE;
void ls_match_data_drop(const ls_program *program, const ls_match_data *data);

/* The rows of the table that `row` describes. False when the simulation has no such table. */
bool ls_match_data_rows(const ls_program *program, const ls_match_data *data,
                        const ls_component *row, const void **rows, uint32_t *count);

#endif

/* The differences between two worlds of one program, by component, entity and field, with both
 * values. For desync reports, tests and people. */
#ifndef LS_DIFF_H
#define LS_DIFF_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_difference_kind {
    LS_DIFFERENCE_MATCH,   /* `name`: seed, tick_rate, players or an option */
    LS_DIFFERENCE_TICK,    /* `name` is "tick" */
    LS_DIFFERENCE_COUNTER, /* `name`: what a counter of dropped items counts; for refused spawns the
                              lane */
    LS_DIFFERENCE_LIFE,    /* the slot of `entity`: whether it is alive, and its generation */
    LS_DIFFERENCE_PRESENCE, /* only one world has `component` on `entity` */
    LS_DIFFERENCE_FIELD,    /* `field` of a cell of `entity`, or of the singleton */
    LS_DIFFERENCE_ROWS,     /* the row count of the match data table `component` */
    LS_DIFFERENCE_ROW,      /* `field` of row `row` of that table */
} ls_difference_kind;

typedef struct ls_difference {
    ls_difference_kind kind;
    const char *name;
    const ls_component *component;
    const ls_field *field;
    uint32_t item;     /* index into a field that is an array */
    uint32_t row;      /* index into a match data table */
    ls_entity entity;  /* LS_ENTITY_NULL for a singleton */
    const char *place; /* the place in words: `place.x of beasts/3:1` */
    /* Both values as include/lockstep/json.h prints them, without quotes. NULL for a value that
     * does not exist: the entity lacks the component, or the item is not in use. */
    const char *a, *b;
} ls_difference;

/* Return false to stop the walk. `difference` is valid until the function returns. */
typedef bool ls_difference_visit(void *argument, const ls_difference *difference);

/* Calls `visit` for every difference. Order: match data, match, tick, counters, then slots by lane
 * and slot, then columns in canonical order, each by lane and slot. If a slot holds different
 * entities, their components are skipped: they would add nothing. Only the roots are compared if
 * they are equal; only the hashes of equal columns. The worlds are not const, because they cache
 * hashes.
 *   errors  asserts that both worlds have the same program */
LS_API void ls_world_diff(ls_world *a, ls_world *b, ls_difference_visit *visit, void *argument);

/* The first function compares all match data of two worlds, which may be of different programs:
 * tables of the same name and size. The second compares one table of `a`, by its index in the
 * simulation's list, with `count` rows from elsewhere. */
LS_API void ls_world_diff_tables(const ls_world *a, const ls_world *b, ls_difference_visit *visit,
                                 void *argument);
LS_API void ls_world_diff_rows(const ls_world *a, uint32_t table, const void *rows, uint32_t count,
                               ls_difference_visit *visit, void *argument);

/* Compares the cells of one column only, byte by byte and without their hashes; allowed in the
 * middle of a tick. `column` may be one past the last column: that compares which entities are
 * alive.
 *   errors  asserts that both programs have the same schema and lanes */
LS_API void ls_world_diff_column(const ls_world *a, const ls_world *b, uint32_t column,
                                 ls_difference_visit *visit, void *argument);

/* The differences as text: one line for each of the first `lines_max`, then the number of further
 * ones. Empty when the worlds are equal.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_diff_print(ls_world *a, ls_world *b, uint32_t lines_max);

#ifdef __cplusplus
}
#endif

#endif

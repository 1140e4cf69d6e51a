/* The differences between two worlds of one program: by component, entity and field, with both
 * values. For the report of a desync, for tests, for people. */
#ifndef LS_DIFF_H
#define LS_DIFF_H

#include <lockstep/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum ls_difference_kind {
    LS_DIFFERENCE_MATCH,    /* `name`: seed, tick_rate, players or an option */
    LS_DIFFERENCE_TICK,     /* `name` is "tick" */
    LS_DIFFERENCE_COUNTER,  /* `name` of what was left out; of refused spawns that of the lane */
    LS_DIFFERENCE_LIFE,     /* the slot of `entity`; the values say whether it lives, and which
                               life of it that is */
    LS_DIFFERENCE_PRESENCE, /* `entity` has `component` in one of them */
    LS_DIFFERENCE_FIELD,    /* `field` of the component of the entity, or of the singleton */
    LS_DIFFERENCE_ROWS,     /* how many rows the match data table `component` has */
    LS_DIFFERENCE_ROW,      /* `field` of row `row` of that table */
} ls_difference_kind;

typedef struct ls_difference {
    ls_difference_kind kind;
    const char *name;
    const ls_component *component;
    const ls_field *field;
    uint32_t item;     /* of a field that is an array */
    uint32_t row;      /* of a match data table */
    ls_entity entity;  /* LS_ENTITY_NULL for a singleton */
    const char *place; /* where, in words: `place.x of beasts/3:1` */
    /* The two values as include/lockstep/json.h prints them, without quotes. NULL where there is
     * none: the entity lacks the component, the item is not in use. */
    const char *a, *b;
} ls_difference;

/* False stops the walk. The difference lives until it returns. */
typedef bool ls_difference_visit(void *argument, const ls_difference *difference);

/* Calls `visit` for every difference: match data, match, tick, counters, then lives by lane and
 * slot, then columns in canonical order, each by lane and slot. Components of slots whose lives
 * differ are left out: they would tell nothing more. Equal roots cost only the roots, equal columns
 * only their hashes. Not const, because hashes are cached.
 *   errors  asserts that both are of one program */
LS_API void ls_world_diff(ls_world *a, ls_world *b, ls_difference_visit *visit, void *argument);

/* The first compares the match data of two worlds, which may be of different programs: tables of
 * the same name and size. The second compares one table of `a`, by its index in the simulation's
 * list, with `count` rows from elsewhere. */
LS_API void ls_world_diff_tables(const ls_world *a, const ls_world *b, ls_difference_visit *visit,
                                 void *argument);
LS_API void ls_world_diff_rows(const ls_world *a, uint32_t table, const void *rows, uint32_t count,
                               ls_difference_visit *visit, void *argument);

/* Compares the cells of one column only, as they are in memory, without a look at their hashes;
 * also in the middle of a tick. `column` may be one past the last: that of lives.
 *   errors  asserts that both are of programs with one schema and the same lanes */
LS_API void ls_world_diff_column(const ls_world *a, const ls_world *b, uint32_t column,
                                 ls_difference_visit *visit, void *argument);

/* The same as text: a line for each of the first `lines_max` differences, then how many more there
 * are. An empty text when there is none.
 *   owns  ls_free() by the caller */
LS_API char *ls_world_diff_print(ls_world *a, ls_world *b, uint32_t lines_max);

#ifdef __cplusplus
}
#endif

#endif

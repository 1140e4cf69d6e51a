/* Lists the stores of one system in one tick: into the page that holds a cell, the command buffer
 * that the engine merges, the marks for despawning, or the decision of a run criterion. Two lists
 * of the same system say which store was the first to differ.
 *   source  docs/design.md section 8; how: desync/write_watch.h */
#ifndef LS_WRITE_LOG_H
#define LS_WRITE_LOG_H

#include "desync/run_variant.h"
#include "desync/source.h"
#include "desync/suspect.h"
#include "desync/write_watch.h"

#define LS_WRITE_LOG_VALUE_BYTES 16
#define LS_WRITE_LOG_TEXT_BYTES  48

/* One item that one instruction stored. An instruction that stores several items gives several
 * entries. */
typedef struct ls_write_log {
    uint32_t at;                   /* offset of the item in the watched memory */
    uint32_t bit;                  /* of a presence item: the bit in the byte; else 0 */
    uint32_t bytes;                /* of the item, at most LS_WRITE_LOG_VALUE_BYTES */
    bool is_silent;                /* the value was the same before */
    ls_entity entity;              /* LS_ENTITY_NULL for a singleton, and where there is none */
    const ls_component *component; /* NULL for marks, decisions and the heads of records */
    const ls_field *field;         /* NULL for presence */
    uint32_t item;
    uint32_t record; /* index of the record in the command buffer */
    uint8_t old[LS_WRITE_LOG_VALUE_BYTES], now[LS_WRITE_LOG_VALUE_BYTES];
    char old_text[LS_WRITE_LOG_TEXT_BYTES], now_text[LS_WRITE_LOG_TEXT_BYTES];
    uint32_t frame_count;
    uintptr_t frames[LS_WRITE_WATCH_FRAMES_MAX];
} ls_write_log;

typedef struct ls_stores {
    ls_write_log *list; /* in the order in which they happened */
    uint32_t count, capacity;
    uint32_t left_out;  /* stores that are not in the list: ls_write_watch_left_out() */
    uintptr_t function; /* of the system; its callers are the engine's */
    ls_difference_site site;
} ls_stores;

/* Runs the tick once more and watches the suspect's system where the suspect points. `side` is the
 * side of the variant: 0 uses the suspect's first position, 1 its second. The world is unchanged
 * afterwards.
 *   errors  LS_ERROR_USAGE for a frame of another tick, or a suspect without a system or without
 *           values; LS_ERROR_REFUSED where stores cannot be watched; LS_ERROR_NOT_FOUND when the
 *           system did not run again, or left nothing there; those of ls_executor_create()
 *   owns    ls_stores_reset() by the caller
 *   thread  as ls_write_watch_begin() */
ls_status ls_desync_watch(const ls_run_variant *variant, uint32_t side, const ls_frame *frame,
                          const ls_suspect *suspect, ls_stores *stores,
                          ls_error *error) LS_MUST_USE;
void ls_stores_reset(ls_stores *stores);

/* Whether the store is into the place that the suspect names: the cell's item, or the record of the
 * commands. */
bool ls_write_log_is_of(const ls_write_log *store, const ls_stores *stores,
                        const ls_suspect *suspect);

/* Finds the first store that only one of the two lists has, and its counterpart in the other, NULL
 * for none. A store into the suspect's place is preferred, so that its value and the line belong
 * together. Stores are compared by item, number and value; two builds may group items differently.
 * False when there is no difference.
 *   cost    linear in the stores */
bool ls_stores_compare(const ls_stores *a, const ls_stores *b, const ls_suspect *suspect,
                       const ls_write_log **first_a, const ls_write_log **first_b);

/* Prints the store, as `pos.x of beasts/3:1: 5 -> 7`.
 *   owns    ls_free() by the caller */
char *ls_write_log_print(const ls_write_log *store, const ls_program *program);
/* Returns the line of the simulation that made the store: the innermost frame to which the system's
 * own function leads through frames of the simulation alone, without the engine or a library
 * between them. If the system's last act was a call of the engine, no frame of the system is left;
 * the place is then where its function begins. */
ls_source_place ls_write_log_line(const ls_stores *stores, const ls_write_log *store,
                                  ls_sources *sources);
/* Prints the store's frames, a line each, the innermost first.
 *   owns    ls_free() by the caller */
char *ls_write_log_trace(const ls_stores *stores, const ls_write_log *store, ls_sources *sources);

#endif

/* Sources of ticks for a rerun: a recording, or a list in memory. A source gives the frames, and
 * the recorded roots of the ticks that have one. */
#ifndef LS_TICKS_H
#define LS_TICKS_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* One step of a source. The root of a tick is the root of the world before the tick. */
typedef struct ls_source_tick {
    bool is_over;             /* the source has ended; `frame` is empty */
    ls_frame frame;           /* `frame` and `roots` live until the next step */
    ls_recording_roots roots; /* roots that became known in this step, none of a later tick */
} ls_source_tick;

/* A source gives its ticks one by one, from the first. `world` is the world that the frame will
 * advance: a source may create its inputs from what it sees there.
 *   errors  those of the source, which end it early */
typedef struct ls_tick_source {
    ls_status (*next)(void *argument, ls_world *world, ls_source_tick *tick, ls_error *error);
    void *argument;
} ls_tick_source;

/* Creates a source of the frames of a recording, from its reading position on.
 *   owns    the recording outlives the source */
ls_tick_source ls_ticks_of_recording(ls_recording *recording);

/* A list of consecutive frames with the root before each, and the root after the last. */
typedef struct ls_tick_list ls_tick_list;

#define LS_TICK_LIST_BYTES_MAX ((size_t)256 << 20) /* of encoded frames */

/* owns  ls_tick_list_destroy, also for NULL */
ls_tick_list *ls_tick_list_create(uint32_t player_count, uint64_t first_tick);
void ls_tick_list_destroy(ls_tick_list *list);
/* Appends a copy of the frame of the next tick, with the root before that tick.
 *   errors  LIMIT: the list is full */
ls_status ls_tick_list_add(ls_tick_list *list, uint64_t root, const ls_frame *frame,
                           ls_error *error) LS_MUST_USE;
/* Closes the list with the root after the last tick. Nothing is added afterwards. */
void ls_tick_list_close(ls_tick_list *list, uint64_t root);
uint64_t ls_tick_list_first(const ls_tick_list *list);
uint64_t ls_tick_list_count(const ls_tick_list *list);
/* Returns the number of inputs in all frames, joins and leaves included. */
uint64_t ls_tick_list_inputs(const ls_tick_list *list);
/* Returns the root before `tick`, which the list must have (asserted). */
uint64_t ls_tick_list_root(const ls_tick_list *list, uint64_t tick);

/* A position in a list, in the caller's storage. Several cursors may read one list. */
typedef struct ls_tick_cursor {
    const ls_tick_list *list;
    uint64_t tick;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
} ls_tick_cursor;

/* Creates a source of the list's ticks from `first_tick` on. The list has that tick, or ends just
 * before it.
 *   owns    list and cursor outlive the source */
ls_tick_source ls_ticks_of_list(ls_tick_cursor *cursor, const ls_tick_list *list,
                                uint64_t first_tick);

/* Encodes a closed list, for another process.
 *   owns    ls_free(*bytes) by the caller */
void ls_tick_list_encode(const ls_tick_list *list, uint8_t **bytes, size_t *count);
/* Decodes a list from bytes that may be hostile.
 *   errors  CORRUPT; no list is created then */
ls_status ls_tick_list_decode(const uint8_t *bytes, size_t count, ls_tick_list **list,
                              ls_error *error) LS_MUST_USE;

#endif

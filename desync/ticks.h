/* The ticks of a rerun, from a recording or from a list in memory. Either source gives the frames,
 * and the recorded roots for the ticks that have one. */
#ifndef LS_TICKS_H
#define LS_TICKS_H

#include <lockstep/recording.h>
#include <lockstep/world.h>

/* One step of a source. The root of a tick is that of the world before it. */
typedef struct ls_source_tick {
    bool is_over;             /* no more ticks come, and `frame` is empty */
    ls_frame frame;           /* lives until the next step, as the roots do */
    ls_recording_roots roots; /* what became known since the step before; none of a later tick */
} ls_source_tick;

/* A source gives its ticks one by one, from the first. `world` is the world that the frame will
 * advance: a source may create its inputs from what it sees there.
 *   errors  whatever ends the source early, in words */
typedef struct ls_tick_source {
    ls_status (*next)(void *argument, ls_world *world, ls_source_tick *tick, ls_error *error);
    void *argument;
} ls_tick_source;

/* The frames of a recording from its reading position on.
 *   owns    the recording outlives the source */
ls_tick_source ls_ticks_of_recording(ls_recording *recording);

/* Consecutive frames with the root before each, and the last root. */
typedef struct ls_tick_list ls_tick_list;

#define LS_TICK_LIST_BYTES_MAX ((size_t)256 << 20) /* of encoded frames */

/* owns  ls_tick_list_destroy, also for NULL */
ls_tick_list *ls_tick_list_create(uint32_t player_count, uint64_t first_tick);
void ls_tick_list_destroy(ls_tick_list *list);
/* Appends a copy of the frame, which is that of the tick after the last.
 *   errors  LIMIT: the list is full */
ls_status ls_tick_list_add(ls_tick_list *list, uint64_t root, const ls_frame *frame,
                           ls_error *error) LS_MUST_USE;
/* The root after the last tick. Nothing is added after it. */
void ls_tick_list_close(ls_tick_list *list, uint64_t root);
uint64_t ls_tick_list_first(const ls_tick_list *list);
uint64_t ls_tick_list_count(const ls_tick_list *list);
/* Inputs of all its frames together, joins and leaves too. */
uint64_t ls_tick_list_inputs(const ls_tick_list *list);
/* The root before `tick`; it asserts that the list has it. */
uint64_t ls_tick_list_root(const ls_tick_list *list, uint64_t tick);

/* A place in a list; the caller's storage, several may read one list. */
typedef struct ls_tick_cursor {
    const ls_tick_list *list;
    uint64_t tick;
    ls_input inputs[LS_FRAME_INPUTS_MAX];
} ls_tick_cursor;

/* A source of the list's ticks from `first_tick` on. The list has that tick, or ends just before
 * it.
 *   owns    list and cursor outlive the source */
ls_tick_source ls_ticks_of_list(ls_tick_cursor *cursor, const ls_tick_list *list,
                                uint64_t first_tick);

/* Writes the byte form, for another process. The list is closed.
 *   owns    ls_free(*bytes) by the caller */
void ls_tick_list_encode(const ls_tick_list *list, uint8_t **bytes, size_t *count);
/* Reads the byte form, from hostile bytes.
 *   errors  CORRUPT; no list is created then */
ls_status ls_tick_list_decode(const uint8_t *bytes, size_t count, ls_tick_list **list,
                              ls_error *error) LS_MUST_USE;

#endif

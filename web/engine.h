/* The engine in a browser: one WebAssembly module holds core, replays and one simulation, and plays
 * one recording, or compares two. web/viewer/engine.js calls these functions; web/README.md has
 * their order. An instance of the module is thrown away with its recording: nothing is freed.
 *   shape   ticks are doubles, because JavaScript's numbers have 53 bits; a recording with higher
 *           ticks is refused. Texts are JSON or one sentence
 *   errors  a function that returns int gives LS_OK, else an ls_status with a sentence in error()
 *   owns    a pointer is valid until the next call that gives the same text or rows
 *   thread  one */
#ifndef LS_WEB_ENGINE_H
#define LS_WEB_ENGINE_H

#include "web/export.h"

/* Chooses which of two recordings of one simulation all functions are about: 0, as at first, or 1,
 * which is played second. */
LS_WEB_EXPORT(select) void ls_web_select(uint32_t which);

/* Memory for the bytes of a recording; NULL when the file is larger than any recording. */
LS_WEB_EXPORT(reserve) uint8_t *ls_web_reserve(double bytes);
/* Reads the reserved bytes. A module of any simulation can do so and learn the right one. */
LS_WEB_EXPORT(read) int ls_web_read(void);
/* After read(): checks every signature, makes the first state. `is_measured`: ticks cost a little
 * more, and schedule() can measure them. INCOMPATIBLE: another simulation or version. */
LS_WEB_EXPORT(play) int ls_web_play(bool is_measured);
/* After play(): memory for bytes that follow those of the recording, as of a match that runs. NULL:
 * too many. grow() takes them, checks the signatures again and keeps all states. While `has_more`
 * is true, proofs end at the last tick whose root is known. */
LS_WEB_EXPORT(reserve_more) uint8_t *ls_web_reserve_more(double bytes);
LS_WEB_EXPORT(grow) void ls_web_grow(bool has_more);
LS_WEB_EXPORT(error) const char *ls_web_error(void);

/* The simulation's name in the recording, and that of this module; after read(). */
LS_WEB_EXPORT(recorded_name) const char *ls_web_recorded_name(void);
LS_WEB_EXPORT(own_name) const char *ls_web_own_name(void);
/* Header, end, signatures, keyframes and the desync of a recording with evidence; lanes, and
 * components with their fields, and the names of events. After play(). */
LS_WEB_EXPORT(recording) const char *ls_web_recording(void);
LS_WEB_EXPORT(components) const char *ls_web_components(void);

/* Goes to the state before a tick, from the nearest known state. */
LS_WEB_EXPORT(seek) int ls_web_seek(double tick);
LS_WEB_EXPORT(tick) double ls_web_tick(void);
/* Keeps states around this tick, so that seeks are fast; false when nothing is left to do. */
LS_WEB_EXPORT(fill) bool ls_web_fill(uint32_t ticks);

/* Simulates up to `ticks` further ticks of the whole recording on a world of its own, never from a
 * keyframe, and compares each root. LS_OK also at the end: see proof(). */
LS_WEB_EXPORT(prove) int ls_web_prove(uint32_t ticks);
LS_WEB_EXPORT(proof) const char *ls_web_proof(void);
/* How many events the systems sent in each of the first LS_WEB_TICKS_MAX ticks that prove() has
 * simulated, as bytes. */
LS_WEB_EXPORT(event_counts) const uint8_t *ls_web_event_counts(void);

/* The schedule of a measured instance as JSON: `svg`, and the means of the `ticks` measured lately:
 * `tickNs` and the nanoseconds of each of `systems`, in the order of the picture. First simulates
 * up to `ticks` ticks before `tick` again, which changes the present tick. After a jump of `tick`
 * the means begin anew. */
LS_WEB_EXPORT(schedule) const char *ls_web_schedule(double tick, uint32_t ticks);

/* How many inputs each of `count` ticks has, as bytes: joins and orders, without held states. */
LS_WEB_EXPORT(input_counts) const uint8_t *ls_web_input_counts(double first, uint32_t count);
LS_WEB_EXPORT(inputs) const char *ls_web_inputs(double tick);
/* The joins, leaves, pauses and resumes from tick `first` on, as `events`, and whether the list
 * `isCut`. */
LS_WEB_EXPORT(player_events) const char *ls_web_player_events(double first);

/* Collects the entities that have the component of column `first`, all for -1, with the cells of up
 * to two more columns, and returns how many. */
LS_WEB_EXPORT(rows) uint32_t ls_web_rows(int32_t first, int32_t second, int32_t third);
/* The result of rows(): handles of 8 bytes, packed cells of a term, a byte per row whose bit tells
 * whether the entity has the component of that term. */
LS_WEB_EXPORT(row_entities) const uint64_t *ls_web_row_entities(void);
LS_WEB_EXPORT(row_cells) const uint8_t *ls_web_row_cells(uint32_t term);
LS_WEB_EXPORT(row_presence) const uint8_t *ls_web_row_presence(void);

/* An entity with all its cells, by the halves of its handle; the singletons, the root and the line
 * of the simulation. */
LS_WEB_EXPORT(entity) const char *ls_web_entity(uint32_t low, uint32_t high);
LS_WEB_EXPORT(world) const char *ls_web_world(void);

/* The differences between the present states of both recordings, and the first tick whose recorded
 * roots differ. */
LS_WEB_EXPORT(differences) const char *ls_web_differences(void);

#endif

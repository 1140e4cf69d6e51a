/* Salvages whole records after damage. Checksum chains begin at keyframes, and any record can be
 * checked on its own. So the records from a keyframe on can become a recording. A delta keyframe
 * needs its intact full keyframe, and the simulation's program. Nothing is simulated. */
#ifndef LS_SALVAGE_H
#define LS_SALVAGE_H

#include <lockstep/program.h>
#include <lockstep/recording.h>
#include <lockstep/sink.h>

typedef struct ls_salvage ls_salvage;

/* A part: one run of records without a gap, from the first usable keyframe on. */
typedef struct ls_salvage_part {
    uint64_t first_tick, end_tick; /* ticks of its frames, end exclusive; at least one */
    uint64_t roots;                /* roots proven to be of its ticks; 0: the part is unproven */
} ls_salvage_part;

/* Searches after the valid prefix. Without the program (NULL), or with that of another build, only
 * full keyframes can begin a part.
 *   owns    ls_salvage_destroy() by the caller; recording and program must outlive it
 *   thread  as the recording */
ls_salvage *ls_salvage_create(const ls_recording *recording, const ls_program *program) LS_MUST_USE;
void ls_salvage_destroy(ls_salvage *salvage);

/* Finds the next part in file order; false when there is none. The work is bounded for any
 * bytes. */
bool ls_salvage_next(ls_salvage *salvage, ls_salvage_part *part) LS_MUST_USE;
/* The tick after the last one found so far, in the valid prefix or in a later run. */
uint64_t ls_salvage_seen_tick(const ls_salvage *salvage);

/* Writes the part that ls_salvage_next() found last as an unsigned, closed recording. The function
 * owns the sink.
 *   errors  as ls_recorder_begin() and ls_recorder_append() */
ls_status ls_salvage_write(const ls_salvage *salvage, ls_sink sink, const char *name, uint64_t salt,
                           ls_error *error) LS_MUST_USE;

#endif

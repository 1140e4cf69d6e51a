/* The difference between two states, or between two recordings: the component, the cell and both
 * values, as texts. The tick is not run, so no system is found; only the systems that may write are
 * named. */
#ifndef LS_RECORDED_DIFF_H
#define LS_RECORDED_DIFF_H

#include "desync/divergence.h"

/* Fill in texts of a divergence. ls_recorded_diff_add_name() appends after a comma; the others
 * replace. Text that does not fit is left out. */
void ls_recorded_diff_set(char to[LS_DIVERGENCE_NAME_BYTES], const char *text); /* NULL: "" */
void ls_recorded_diff_add_name(char *to, size_t bytes, const char *name);
void ls_recorded_diff_set_entity(const ls_program *program, ls_entity entity,
                                 ls_divergence *divergence);
void ls_recorded_diff_set_field(const ls_field *field, uint32_t item, ls_divergence *divergence);

/* The systems that may write the divergence's component. */
void ls_recorded_diff_name_writers(const ls_program *program, ls_divergence *divergence);

/* The difference that the comparison of two states chose. */
typedef struct ls_recorded_diff_choice {
    bool is_made;
    const ls_component *component; /* NULL: what differs is no cell */
    ls_entity entity;
} ls_recorded_diff_choice;

/* Finds the first difference between the expected and the found state, only in cells of `wanted`
 * unless that is NULL. Sets component, entity, field and both values.
 *   errors  asserts that both worlds are of one program */
void ls_recorded_diff_compare(ls_world *expected, ls_world *found, const ls_component *wanted,
                              ls_recorded_diff_choice *choice, ls_divergence *divergence);

/* Compares what two recordings of one match hold after the tick where they differ first: `after` is
 * the first tick before which the states differ. When only one recording has column hashes or a
 * keyframe there, the other is replayed, and counts if it reaches its own recorded root. `expected`
 * is from the first recording, `found` from the second. Only known members of the divergence are
 * set; the reading positions of the recordings are unspecified afterwards.
 *   errors  asserts programs of one schema and one list of lanes */
void ls_recorded_diff_find(ls_recording *const recordings[2], const ls_program *const programs[2],
                           uint64_t after, ls_divergence *divergence);

#endif

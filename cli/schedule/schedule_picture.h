/* Prints a schedule as a picture (SVG), as a graph for other programs (DOT) and as data (JSON).
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_SCHEDULE_PICTURE_H
#define LS_SCHEDULE_PICTURE_H

#include "cli/schedule/graph_layout.h"
#include "core/base/builder.h"

typedef struct ls_schedule_picture {
    const ls_schedule_graph *graph;
    bool is_timed; /* weights are nanoseconds per tick, otherwise 1 per system */
} ls_schedule_picture;

/* Each appends the whole document to `text`. The same schedule gives the same bytes on every
 * machine. */
void ls_schedule_picture_svg(const ls_schedule_picture *picture, ls_builder *text);
void ls_schedule_picture_dot(const ls_schedule_picture *picture, ls_builder *text);
void ls_schedule_picture_json(const ls_schedule_picture *picture, ls_builder *text);

/* The functions below are in cli/schedule/schedule_picture_text.c; the formats share them. */

/* Sets the name and the other texts in the system's box; long texts are cut. */
void ls_schedule_picture_label(const ls_schedule_picture *picture, uint32_t position,
                               ls_label *label);
/* Adds everything that is known about a system, in lines. */
void ls_schedule_picture_about_system(const ls_schedule_picture *picture, uint32_t position,
                                      ls_builder *text);
void ls_schedule_picture_about_link(const ls_schedule_picture *picture,
                                    const ls_schedule_link *link, ls_builder *text);
/* Adds the condition: "if night", "every 10 ticks, offset 3", or both. */
void ls_schedule_picture_about_condition(const ls_condition *when, ls_builder *text);
/* Prints the weight, as "12.3 us" or "3 systems". */
void ls_schedule_picture_weight(const ls_schedule_picture *picture, uint64_t weight, char *words,
                                size_t bytes);
/* Whether the stage asks the gate: it is the stage's own, or that of a set with a member in the
 * stage. */
bool ls_schedule_picture_stage_asks(const ls_schedule_picture *picture, uint32_t stage,
                                    uint32_t gate);
bool ls_schedule_picture_is_member(const ls_schedule_gate *gate, uint32_t position);

#endif

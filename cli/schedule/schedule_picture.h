/* A schedule as a picture (SVG), as a graph for other programs (DOT) and as data (JSON).
 *   source  docs/scheduler.md, "Looking at a schedule" */
#ifndef LS_SCHEDULE_PICTURE_H
#define LS_SCHEDULE_PICTURE_H

#include "cli/schedule/graph_layout.h"
#include "core/base/builder.h"

typedef struct ls_schedule_picture {
    const ls_schedule_graph *graph;
    bool is_timed; /* weights are nanoseconds per tick, else one per system */
} ls_schedule_picture;

/* Each adds all of it to `text`, the same for the same schedule on every machine. */
void ls_schedule_picture_svg(const ls_schedule_picture *picture, ls_builder *text);
void ls_schedule_picture_dot(const ls_schedule_picture *picture, ls_builder *text);
void ls_schedule_picture_json(const ls_schedule_picture *picture, ls_builder *text);

/* cli/schedule/schedule_picture_text.c: what they share. */

/* As XML wants it; what is no UTF-8, or no character there, becomes a question mark. */
void ls_xml_add(ls_builder *text, const char *words);
/* The name, and what else is in the system's box; longer ones are cut. */
void ls_schedule_picture_label(const ls_schedule_picture *picture, uint32_t position,
                               ls_label *label);
/* All that there is to say about a system, in lines. */
void ls_schedule_picture_about_system(const ls_schedule_picture *picture, uint32_t position,
                                      ls_builder *text);
void ls_schedule_picture_about_link(const ls_schedule_picture *picture,
                                    const ls_schedule_link *link, ls_builder *text);
/* "if night", "every 10 ticks, offset 3", or both. */
void ls_schedule_picture_about_condition(const ls_condition *when, ls_builder *text);
/* "12.3 us", or "3 systems". */
void ls_schedule_picture_weight(const ls_schedule_picture *picture, uint64_t weight, char *words,
                                size_t bytes);
/* Whether the gate is the stage's own, or a set's with a member there. */
bool ls_schedule_picture_stage_asks(const ls_schedule_picture *picture, uint32_t stage,
                                    uint32_t gate);
bool ls_schedule_picture_is_member(const ls_schedule_gate *gate, uint32_t position);

#endif

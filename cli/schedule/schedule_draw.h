/* `lockstep schedule graph` and `times`: a schedule to look at, and where the time goes. */
#ifndef LS_SCHEDULE_DRAW_H
#define LS_SCHEDULE_DRAW_H

#include "cli/common/command.h"
#include "cli/common/match_options.h"

typedef enum ls_draw_format { LS_DRAW_SVG, LS_DRAW_DOT, LS_DRAW_JSON } ls_draw_format;

typedef struct ls_draw_options {
    ls_draw_format format;
    const char *path;       /* NULL: stdout */
    uint64_t ticks;         /* to measure; 0 with a graph: none */
    const char *times_path; /* with a graph: of a trace that says how long systems take, or NULL */
    bool is_json;           /* times, as JSON */
} ls_draw_options;

/* The name of each format; ends with NULL. */
extern const char *const ls_draw_formats[];

ls_exit ls_schedule_draw(const ls_match_options *match, const ls_draw_options *options);
ls_exit ls_schedule_time(const ls_match_options *match, const ls_draw_options *options);

#endif

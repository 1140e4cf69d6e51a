/* `lockstep schedule graph` and `times`: draw a schedule, and show where a tick spends its time. */
#ifndef LS_SCHEDULE_DRAW_H
#define LS_SCHEDULE_DRAW_H

#include "cli/common/command.h"
#include "cli/common/match_options.h"

typedef enum ls_draw_format { LS_DRAW_SVG, LS_DRAW_DOT, LS_DRAW_JSON } ls_draw_format;

typedef struct ls_draw_options {
    ls_draw_format format;
    const char *path; /* NULL: stdout */
    uint64_t ticks;   /* ticks to measure; 0 with a graph: do not measure */
    /* With a graph: a trace file with the times of systems; or NULL. */
    const char *times_path;
    bool is_json; /* for `times`: print JSON */
} ls_draw_options;

/* The name of each format; ends with NULL. */
extern const char *const ls_draw_formats[];

ls_exit ls_schedule_draw(const ls_match_options *match, const ls_draw_options *options);
ls_exit ls_schedule_time(const ls_match_options *match, const ls_draw_options *options);

#endif

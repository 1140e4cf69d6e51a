/* The lines of a simulation's sources that declare what a finding names. A simulation is data
 * without positions, so the names are looked for in the text of the sources. */
#ifndef LS_SOURCE_LINES_H
#define LS_SOURCE_LINES_H

#include <lockstep/schedule_report.h>

#define LS_SOURCE_LINES_MAX 256 /* files */

typedef struct ls_source_lines {
    const char *paths[LS_SOURCE_LINES_MAX];
    char *texts[LS_SOURCE_LINES_MAX];
    uint32_t count;
} ls_source_lines;

/* A position; `line` counts from 1. */
typedef struct ls_source_line {
    const char *path;
    uint32_t line;
} ls_source_line;

/* Reads the file.
 *   errors  LIMIT: too many files; those of ls_text_file_read()
 *   owns    ls_source_lines_reset() by the caller; `path` must stay valid until then */
ls_status ls_source_lines_add(ls_source_lines *sources, const char *path,
                              ls_error *error) LS_MUST_USE;
void ls_source_lines_reset(ls_source_lines *sources);

/* Finds the line that declares the name: best where `.name` is set to it, then where it is another
 * text, then where it is the first argument of a macro, last where another member refers to it.
 * False when no source has it. */
bool ls_source_lines_find(const ls_source_lines *sources, const char *name, ls_source_line *found);
/* Finds the first line from the declaration of `owner` on, in its file, where a list has `item`;
 * otherwise the first such line of all sources. False when no list has it. */
bool ls_source_lines_find_item(const ls_source_lines *sources, const char *owner, const char *item,
                               ls_source_line *found);

#endif

/* A series: all files of one match. It has one file unless a disk write failed. Then the match
 * continues in NAME.1.lsr, NAME.2.lsr and so on, each with a keyframe at the start
 * (docs/replay-format.md). */
#ifndef LS_RECORDING_SERIES_H
#define LS_RECORDING_SERIES_H

#include <lockstep/recording.h>

typedef struct ls_series {
    /* In order, at least one; each file begins at or after the end of the previous one. */
    ls_recording **files;
    char **names; /* an entry is NULL for a recording passed to ls_series_of() */
    uint32_t count;
} ls_series;

/* The number of characters before ".lsr" in a recording's name; the whole length if it has another
 * ending or nothing before it. An int, for the precision of "%.*s". */
LS_API int ls_series_stem(const char *name) LS_MUST_USE;
/* The name of a later file: "a/b.lsr" becomes "a/b.3.lsr".
 *   owns  ls_free() by the caller */
LS_API char *ls_series_name(const char *first_name, uint32_t number) LS_MUST_USE;
/* Reads the number in the name of a later file, above 0; false when the name has none. */
LS_API bool ls_series_number(const char *name, uint32_t *number) LS_MUST_USE;
/* The reverse of ls_series_name(); false when `name` is not that of file `number`. */
LS_API bool ls_series_first_name(const char *name, uint32_t number, char *first_name,
                                 size_t bytes) LS_MUST_USE;

/* Reads the recording at `path` and, if it is the first of its match, the later files. Files with
 * such a name from another match are ignored.
 *   errors  as ls_recording_open(); CORRUPT when a later file begins before the end of the previous
 *           one. `*series` is then NULL
 *   owns    ls_series_close() by the caller
 *   thread  as a recording */
LS_API ls_status ls_series_open(const char *path, ls_series **series, ls_error *error) LS_MUST_USE;
/* A series of one recording, which it then owns. */
LS_API ls_series *ls_series_of(ls_recording *recording) LS_MUST_USE;
LS_API void ls_series_close(ls_series *series); /* NULL is allowed */

/* Joins the files up to the first gap into one recording, for any code that reads one. Header and
 * name are those of the first file. Between two files the root of a tick may be missing. The result
 * has no signatures of its own.
 *   owns    it owns `series`; ls_recording_close() by the caller
 *   thread  as a recording */
LS_API ls_recording *ls_series_join(ls_series *series) LS_MUST_USE;
/* The series that a recording was joined from; NULL when it is one file. Valid as long as the
 * recording. */
LS_API const ls_series *ls_recording_series(const ls_recording *recording);
/* The name and first tick of the file after the gap at which a joined recording ends. NULL when
 * there is no gap. */
LS_API const char *ls_recording_after_gap(const ls_recording *recording, uint64_t *first_tick);

/* The last file, which a resumed server continues. */
LS_API ls_recording *ls_series_last(const ls_series *series);
/* The tick after the last frame of file `file`. */
LS_API uint64_t ls_series_end_tick(const ls_series *series, uint32_t file);
/* The root of the world before a tick, from any file; false when no file has it. */
LS_API bool ls_series_find_root(const ls_series *series, uint64_t tick, uint64_t *root) LS_MUST_USE;
/* The number of ticks that no file has: the disk refused or lost them. */
LS_API uint64_t ls_series_lost_ticks(const ls_series *series);

typedef struct ls_series_signed {
    bool has_key;
    bool is_any;             /* a tick is signed, or the beginning of a match without a tick; false:
                              * ignore `tick` */
    uint64_t tick;           /* lower ticks that a file has are signed */
    uint64_t unsigned_ticks; /* the number of the other ticks */
} ls_series_signed;

/* Checks every signature of every file. A later file also proves the whole previous file, if that
 * is unchanged since its disk failed; the unsigned end of the previous file then counts as signed.
 *   errors  as ls_recording_check_signatures() */
LS_API ls_status ls_series_check_signatures(const ls_series *series, ls_series_signed *result,
                                            ls_error *error) LS_MUST_USE;

#endif

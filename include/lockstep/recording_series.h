/* All files of a match. There is one unless a write to the disk failed: then the match continues in
 * NAME.1.lsr, NAME.2.lsr and so on, each beginning with a keyframe (docs/replay-format.md). */
#ifndef LS_RECORDING_SERIES_H
#define LS_RECORDING_SERIES_H

#include <lockstep/recording.h>

typedef struct ls_series {
    ls_recording **files; /* in their order; at least one, each begins where or behind where the
                             one before ends */
    char **names;         /* NULL for one that ls_series_of() took */
    uint32_t count;
} ls_series;

/* How many bytes of a recording's name come before ".lsr": all when it has another ending or only
 * that. An int, for the precision of "%.*s". */
int ls_series_stem(const char *name) LS_MUST_USE;
/* "a/b.lsr" -> "a/b.3.lsr".
 *   owns  ls_free() by the caller */
char *ls_series_name(const char *first_name, uint32_t number) LS_MUST_USE;
/* The number in such a name, over 0; false when there is none. */
bool ls_series_number(const char *name, uint32_t *number) LS_MUST_USE;
/* The way back; false when `name` is none of a later file. */
bool ls_series_first_name(const char *name, uint32_t number, char *first_name,
                          size_t bytes) LS_MUST_USE;

/* Reads the recording at `path` and, when it is the first of its match, the later ones; a file of
 * such a name from another match does not count.
 *   errors  as ls_recording_open(); CORRUPT when a later file begins before the end of the previous
 *           one. `*history` is then NULL
 *   owns    ls_series_close()      thread  as a recording */
ls_status ls_series_open(const char *path, ls_series **history, ls_error *error) LS_MUST_USE;
/* A series of one recording, which it takes over. */
ls_series *ls_series_of(ls_recording *recording) LS_MUST_USE;
void ls_series_close(ls_series *history); /* NULL is allowed */

/* The match as one recording, for any reader of one: its files up to the first gap. Header and name
 * are those of the first file. Where two files meet, no file may have the root of a tick. The
 * result has no signatures of its own.
 *   owns    takes the history over; ls_recording_close()      thread  as a recording */
ls_recording *ls_series_as_one(ls_series *history) LS_MUST_USE;
/* The series that a recording is made of; NULL when it is one file. Lives as long as the recording.
 */
const ls_series *ls_recording_history(const ls_recording *recording);
/* The name of the file after the gap that ends it, and its first tick; NULL when there is none. */
const char *ls_recording_rest(const ls_recording *recording, uint64_t *first_tick);

/* The file that a resumed server continues. */
ls_recording *ls_series_last(const ls_series *history);
/* The tick after the last frame of a file. */
uint64_t ls_series_end_tick(const ls_series *history, uint32_t file);
/* The root of the world before a tick. Where two files meet, either may have it. False when none
 * does. */
bool ls_series_find_root(const ls_series *history, uint64_t tick, uint64_t *root) LS_MUST_USE;
/* In no file: the disk refused them, or lost them. */
uint64_t ls_series_lost_ticks(const ls_series *history);

typedef struct ls_series_signed {
    bool has_key;
    bool is_any;             /* else `tick` means nothing */
    uint64_t tick;           /* the ticks below it that a file has are signed */
    uint64_t unsigned_ticks; /* the others */
} ls_series_signed;

/* Checks every signature of every file. A later file also vouches for the whole previous file, if
 * that is unchanged since its disk failed; the end of the previous file then counts as signed.
 *   errors  as ls_recording_check_signatures() */
ls_status ls_series_check_signatures(const ls_series *history, ls_series_signed *result,
                                     ls_error *error) LS_MUST_USE;

#endif

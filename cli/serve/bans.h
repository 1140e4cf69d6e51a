/* The addresses and players that a server refuses. The file has one ban a line; lines that begin
 * with '#' are comments. */
#ifndef LS_BANS_H
#define LS_BANS_H

#include <lockstep/address.h>
#include <lockstep/token.h>

#define LS_BANS_MAX       4096
#define LS_BAN_TEXT_BYTES (LS_CLIENT_ID_BYTES + 64)

/* Equal bans have equal bytes before `is_unsaved`. */
typedef struct ls_ban {
    ls_address prefix; /* without port; bits after the prefix are zero */
    /* length of the prefix, as of an IPv6 address; 0: a ban of a client */
    uint8_t bits;
    char client[LS_CLIENT_ID_BYTES]; /* the matchmaker's name for the player */
    bool is_unsaved;                 /* in effect, but the file could not be written */
} ls_ban;

typedef struct ls_bans {
    uint32_t count, capacity;
    ls_ban *list;
    bool is_unsaved; /* the last change is not in the file, which could not be written */
} ls_bans;

/* Reads "192.0.2.7", "192.0.2.0/24", "2001:db8::/32" or "client:ID".
 *   errors  USAGE: none of these */
ls_status ls_ban_parse(const char *text, ls_ban *ban, ls_error *error) LS_MUST_USE;
void ls_ban_format(const ls_ban *ban, char text[LS_BAN_TEXT_BYTES]);

/* Whether a client at this address, with this id ("" without a token), is banned. */
bool ls_bans_cover(const ls_bans *bans, const ls_address *address, const char *client);

/* Returns a copy with or without one ban; *bans stays.
 *   errors  LIMIT: LS_BANS_MAX are there; NOT_FOUND: there is none to remove; REFUSED: the ban is
 *           there
 *   owns    ls_bans_reset() by the caller, also after an error */
ls_status ls_bans_add(const ls_bans *bans, const ls_ban *ban, ls_bans *result,
                      ls_error *error) LS_MUST_USE;
ls_status ls_bans_remove(const ls_bans *bans, const ls_ban *ban, ls_bans *result,
                         ls_error *error) LS_MUST_USE;
/* Whether both have the same bans in the same order. */
bool ls_bans_are_equal(const ls_bans *a, const ls_bans *b);
void ls_bans_copy(const ls_bans *bans, ls_bans *result);
bool ls_bans_have(const ls_bans *bans, const ls_ban *ban);
bool ls_bans_have_unsaved(const ls_bans *bans, const ls_ban *ban);
/* Adds the unsaved bans of `more` that are missing, up to LS_BANS_MAX. Returns how many these are.
 */
uint32_t ls_bans_add_unsaved(ls_bans *bans, const ls_bans *more);
/* Marks one ban, after the file could not be written. */
void ls_bans_mark_unsaved(ls_bans *bans, const ls_ban *ban);
/* Marks all as saved, after the file was written. */
void ls_bans_mark_saved(ls_bans *bans);
void ls_bans_reset(ls_bans *bans);

/* Reads a file; one that is missing has no bans, if it can be created. Errors name the file and the
 * line. */
ls_status ls_bans_read(const char *path, ls_bans *bans, ls_error *error) LS_MUST_USE;
/* Replaces the file as a whole, or leaves it as it was.
 *   errors  IO */
ls_status ls_bans_write(const char *path, const ls_bans *bans, ls_error *error) LS_MUST_USE;
/* Checks that a file that does not exist can be created when the first ban comes.
 *   errors  IO */
ls_status ls_bans_check(const char *path, ls_error *error) LS_MUST_USE;

#endif

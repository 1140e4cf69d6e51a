/* The system to blame for a tick that ends in two states, and the cell that shows it. */
#ifndef LS_SUSPECT_H
#define LS_SUSPECT_H

#include "core/run/command_buffer.h"
#include <lockstep/diff.h>

typedef enum ls_blame {
    LS_BLAME_NONE,   /* both runs of the tick end in one state */
    LS_BLAME_START,  /* the states differ before the tick */
    LS_BLAME_SYSTEM, /* the system's declared inputs are equal, its results differ */
    /* The system's inputs differ, because another system ran before it in one run and after it in
     * the other: `others`. */
    LS_BLAME_ORDER,
    /* The system ran in only one of the two runs, although the criteria that decide this behaved
     * alike. */
    LS_BLAME_PRESENT,
    LS_BLAME_OUTSIDE, /* no system is to blame: memory changed, or the engine did something between
                         systems */
} ls_blame;

/* The kind of place where the difference shows. */
typedef enum ls_difference_site {
    LS_SITE_NONE,
    LS_SITE_CELL,       /* a cell that the system may write; with LS_BLAME_ORDER: that it reads */
    LS_SITE_UNDECLARED, /* a cell that the system changes although it may not */
    LS_SITE_LIVENESS,   /* generations of slots that the system allocates */
    LS_SITE_COMMANDS,   /* `stream`: spawns, events, values or commands */
    LS_SITE_MARKS,      /* the entities that the system despawns */
    LS_SITE_DECISION,   /* the answer of a run criterion */
    LS_SITE_MATCHES,    /* input: the entities that its queries match */
    LS_SITE_EVENTS,     /* input: the events that it receives */
    LS_SITE_LOOP,       /* input: how often its stage ran before */
} ls_difference_site;

typedef struct ls_suspect {
    ls_blame blame;
    ls_difference_site site;
    const char *system, *stage; /* NULL if no system is involved; the stage also for a criterion */
    uint32_t positions[2];      /* the system's position in each program; UINT32_MAX: none */
    uint32_t nth;               /* how often the system had run before in the tick */
    /* The systems that changed the column last in the two runs; NULL for none. */
    const char *others[2];
    bool is_undeclared; /* one of `others` did so without declaring it */
    uint32_t column;    /* of the cell; the number of columns: slot generations; UINT32_MAX: none */
    const ls_component *component; /* of a cell or of a deferred value; or NULL */
    const ls_field *field;
    uint32_t item;
    ls_entity entity; /* LS_ENTITY_NULL for a singleton, and for none */
    ls_stream stream;
    uint32_t record; /* index in `stream` */
    bool has_values; /* `place`, `a` and `b` hold something */
    char *place;     /* in words: `place.x of beasts/3:1` */
    char *a, *b;     /* both values in words; NULL: that side has none */
    char *text;      /* one line for people */
} ls_suspect;

/* Returns the place in words, from component, field, item and entity: `place.x of beasts/3:1`.
 *   owns    ls_free() by the caller */
char *ls_suspect_place(const ls_suspect *suspect, const ls_program *program);
/* Sets field, item and both values of the first difference between two cells of the suspect's
 * component; NULL is an absent cell. False when the cells are equal. */
bool ls_suspect_compare(ls_suspect *suspect, const ls_program *program, const uint8_t *a,
                        const uint8_t *b);

void ls_suspect_reset(ls_suspect *suspect);

#endif

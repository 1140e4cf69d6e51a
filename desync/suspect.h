/* The system to blame for a tick that ends in two states, and the cell that shows it. */
#ifndef LS_SUSPECT_H
#define LS_SUSPECT_H

#include "core/run/command_buffer.h"
#include <lockstep/diff.h>

typedef enum ls_blame {
    LS_BLAME_NOBODY,  /* the tick ends in one state both ways */
    LS_BLAME_START,   /* the states differ before the tick */
    LS_BLAME_SYSTEM,  /* what it declares to read is equal, what it left differs */
    LS_BLAME_ORDER,   /* its inputs differ, because another ran before it in one run and after it
                         in the other: `others` */
    LS_BLAME_PRESENT, /* it ran in one way only, and those that decide so did the same */
    LS_BLAME_OUTSIDE, /* no system's doing: memory, or what the engine does between systems */
} ls_blame;

/* The place of the difference. */
typedef enum ls_difference_site {
    LS_SITE_NONE,
    LS_SITE_CELL,     /* that the system may write; of LS_BLAME_ORDER: that it reads */
    LS_SITE_STRAY,    /* that it changes and may not */
    LS_SITE_LIVES,    /* of slots that it gives out */
    LS_SITE_COMMANDS, /* `stream`: spawns, events, values or commands */
    LS_SITE_MARKS,    /* whom it despawns */
    LS_SITE_DECISION, /* of a criterion */
    LS_SITE_MATCHES,  /* in: whom its queries match */
    LS_SITE_HEARD,    /* in: the events that reach it */
    LS_SITE_LOOP,     /* in: how often its stage ran */
} ls_difference_site;

typedef struct ls_suspect {
    ls_blame blame;
    ls_difference_site site;
    const char *system, *stage;    /* NULL where no system has to do with it */
    uint32_t positions[2];         /* in the two programs */
    uint32_t nth;                  /* how often it had run before in the tick */
    const char *others[2];         /* who had changed it last in the two ways; NULL for none */
    bool is_undeclared;            /* of one of them: without having declared it */
    uint32_t column;               /* the lives are after the last; UINT32_MAX for none */
    const ls_component *component; /* of a cell or of a deferred value; or NULL */
    const ls_field *field;
    uint32_t item;
    ls_entity entity; /* LS_ENTITY_NULL for a singleton, and for none */
    ls_stream stream;
    uint32_t record; /* of the stream */
    bool has_values; /* `place`, `a` and `b` hold something */
    char *place;     /* in words: `place.x of beasts/3:1` */
    char *a, *b;     /* as ls_difference has them; NULL where there is none */
    char *text;      /* one line for people */
} ls_suspect;

/* The place in words, from component, field, item and entity: `place.x of beasts/3:1`.
 *   owns    ls_free() by the caller */
char *ls_suspect_place(const ls_suspect *suspect, const ls_program *program);
/* Sets field, item and both values where two cells of the suspect's component differ; NULL for a
 * cell that is absent. False when they are the same. */
bool ls_suspect_compare(ls_suspect *suspect, const ls_program *program, const uint8_t *a,
                        const uint8_t *b);

void ls_suspect_reset(ls_suspect *suspect);

#endif

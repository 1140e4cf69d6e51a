/* Which system of a tick is to blame: the tick is run in two ways from one state, and what each
 * system declares to read and what it left are compared with the other run's, by system and not by
 * place in the order.
 *   source  docs/design.md section 8 */
#ifndef LS_SYSTEM_SEARCH_H
#define LS_SYSTEM_SEARCH_H

#include "core/run/command_buffer.h"
#include "desync/run_variant.h"
#include <lockstep/diff.h>

typedef enum ls_blame {
    LS_BLAME_NOBODY,  /* the tick ends in one state both ways */
    LS_BLAME_START,   /* the states differ before the tick */
    LS_BLAME_SYSTEM,  /* what it declares to read is equal, what it left differs */
    LS_BLAME_ORDER,   /* its inputs differ, because another ran before it in one way and behind it
                         in the other: `others` */
    LS_BLAME_PRESENT, /* it ran in one way only, and those that decide so did the same */
    LS_BLAME_OUTSIDE, /* no system's doing: memory, or what the engine does between systems */
} ls_blame;

/* Where the difference lies. */
typedef enum ls_async_writer {
    LS_OUTLET_NONE,
    LS_OUTLET_CELL,     /* that the system may write; of LS_BLAME_ORDER: that it reads */
    LS_OUTLET_STRAY,    /* that it changes and may not */
    LS_OUTLET_LIVES,    /* of slots that it gives out */
    LS_OUTLET_JOURNAL,  /* `stream`: births, events, values or commands */
    LS_OUTLET_MARKS,    /* whom it despawns */
    LS_OUTLET_DECISION, /* of a criterion */
    LS_OUTLET_MATCHES,  /* in: whom its queries match */
    LS_OUTLET_HEARD,    /* in: the events that reach it */
    LS_OUTLET_LOOP,     /* in: how often its stage ran */
} ls_async_writer;

typedef struct ls_suspect {
    ls_blame blame;
    ls_async_writer outlet;
    const char *system, *stage;    /* NULL where no system has to do with it */
    uint32_t positions[2];         /* in the two programs */
    uint32_t nth;                  /* how often it had run before in the tick */
    const char *others[2];         /* who had changed it last in the two ways; NULL for nobody */
    bool is_undeclared;            /* of one of them: without having declared it */
    uint32_t column;               /* the lives are behind the last; UINT32_MAX for none */
    const ls_component *component; /* of a cell or a journal's value; or NULL */
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

/* Both worlds stand before frame->tick, and do so afterwards.
 *   errors  LS_ERROR_INCOMPATIBLE when the cells of one program are not those of the other;
 *           LS_ERROR_USAGE for one world twice, a frame of another tick; LS_ERROR_LIMIT
 *   owns    ls_suspect_reset() by the caller, not after an error; names live as long as the
 *           programs
 *   thread  main, and no other uses a world that shares pages with these */
ls_status ls_desync_find_system(const ls_run_variant *a, const ls_run_variant *b,
                                const ls_frame *frame, ls_suspect *suspect,
                                ls_error *error) LS_MUST_USE;
void ls_suspect_reset(ls_suspect *suspect);

#endif

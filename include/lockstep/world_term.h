/* Terms of the whole world, for a system that really needs every component. Such a system needs an
 * order with every other one that its access conflicts with, and with all that spawn.
 * include/lockstep/whole_world.h has the calls. A system header for the reason in define_table.h.
 */
#ifndef LS_WORLD_TERM_H
#define LS_WORLD_TERM_H
#pragma GCC system_header

#include <lockstep/term.h>

/* In an LS_TERM_LIST: one of them, which stands for a term for each component and singleton.
 * LS_WRITES_WORLD is for sequential systems. */
#define LS_READS_WORLD  LS_TERM_OF_WORLD_(LS_ACCESS_READ)
#define LS_WRITES_WORLD LS_TERM_OF_WORLD_(LS_ACCESS_STRUCTURE)
#define LS_TERM_OF_WORLD_(access)                                                                  \
    {                                                                                              \
        NULL, LS_WORLD, access, 0, LS_FILTER_NONE, "the world"                                     \
    }

/* In LS_TERMS: READS_WORLD or WRITES_WORLD, as include/lockstep/term_kinds.h reads them. */
#define LS_TERM_KIND_READS_WORLD          (WORLD, READS_WORLD, READ)
#define LS_TERM_KIND_WRITES_WORLD         (WORLD, WRITES_WORLD, WRITE)
#define LS_TERM_WORLD(query, text, grant) LS_##text,
#define LS_GRANTS_WORLD(list, text, grant)                                                         \
    union list##_##text {                                                                          \
        LS_GRANT_##grant##_WORLD                                                                   \
    } world;
#define LS_GRANT_READ_WORLD  const void *may_read_any;
#define LS_GRANT_WRITE_WORLD LS_GRANT_READ_WORLD void *may_write_any;

#endif

/* The topics of `lockstep help TOPIC`: what concerns several commands. */
#ifndef LS_HELP_TOPICS_H
#define LS_HELP_TOPICS_H

#include "cli/common/menu.h"

/* The exit codes of all commands, also for the main help; whole lines. */
#define LS_HELP_EXIT_CODES                                                                         \
    "    0  good\n"                                                                                \
    "    1  diverged: machines, runs or a recording disagree, or --healthcheck failed\n"           \
    "    2  wrong use: an option, a name, a missing file, a wrong simulation\n"                    \
    "    3  incompatible: another version or simulation\n"                                         \
    "    4  corrupt: a damaged file\n"                                                             \
    "    5  machine: disk, port, network, memory\n"                                                \
    "    6  refused: a state that does not allow it, an ambiguous schedule, a server\n"            \
    "       that says no or changed its key\n"                                                     \
    "    7  crashed: the simulation, in a process made for it\n"                                   \
    "    8  stuck: a server or player hung after it was told to stop\n"                            \
    "    9  failed: a match could not go on\n"                                                     \
    "  129, 130, 143  a second SIGHUP, SIGINT or SIGTERM ended the process at once\n"              \
    "  134  an assertion failed, in the simulation or in lockstep\n"

#define LS_HELP_TOPICS 9
extern const ls_menu_topic ls_help_topics[LS_HELP_TOPICS];

#endif

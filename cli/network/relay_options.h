/* The impairment of packets, as options: `lockstep relay` has them by their names, `lockstep join`
 * with "relay-" before each. */
#ifndef LS_RELAY_OPTIONS_H
#define LS_RELAY_OPTIONS_H

#include "cli/common/arguments.h"
#include "cli/network/relay.h"

typedef enum ls_relay_side {
    LS_RELAY_BOTH = 0,
    LS_RELAY_UP, /* only what goes to the server is impaired */
    LS_RELAY_DOWN,
} ls_relay_side;

/* Zeroed before parsing. */
typedef struct ls_relay_options {
    ls_impairment_conditions profile; /* zeros: none */
    ls_impairment_conditions given;   /* members by the options of `mask` */
    uint32_t mask;
    ls_relay_side side;
    uint64_t seed;
    uint64_t rebind_after_ns;
    bool is_shared;
    bool is_any; /* one of the options was given */
} ls_relay_options;

extern const ls_arguments ls_relay_arguments;      /* --loss ... */
extern const ls_arguments ls_join_relay_arguments; /* --relay-loss ... */

/* The profile with what was given in its place, whatever the order on the command line. */
ls_impairment_conditions ls_relay_options_conditions(const ls_relay_options *options);
/* Fills what the options are about. */
void ls_relay_options_apply(const ls_relay_options *options, ls_relay_config *config);

#define LS_CONDITIONS_TEXT_BYTES 256
/* "loss 5 %, delay 100 ms"; "nothing" when nothing happens to a packet. */
void ls_conditions_format(const ls_impairment_conditions *conditions,
                          char text[LS_CONDITIONS_TEXT_BYTES]);

#endif

/* Prints the level of congestion that the reference client has after each event of a trace.
 * Standard input has an event a line, "KIND VALUE NOW_NS": c, the carrier's connecting took VALUE;
 * r, a round trip of VALUE; p, a packet of the server, VALUE one above the highest number. */
#include "client/congestion.h"

#include <inttypes.h>
#include <stdio.h>

int main(void)
{
    ls_congestion congestion;
    ls_congestion_init(&congestion);
    char kind;
    uint64_t value, now_ns;
    while (scanf(" %c %" SCNu64 " %" SCNu64, &kind, &value, &now_ns) == 3) {
        if (kind == 'c')
            ls_congestion_note_base(&congestion, value, now_ns);
        else if (kind == 'r')
            ls_congestion_note(&congestion, value, now_ns);
        else
            ls_congestion_note_packet(&congestion, value, now_ns);
        printf("%u\n", congestion.level);
    }
    return 0;
}

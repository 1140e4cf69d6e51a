/* Skirmish: a battle in real time. Each player leads an army of eight squads (footmen, archers,
 * catapults) from a keep, where killed units respawn. Destroyed keeps and killed enemies score.
 * A client encodes orders with this header. */
#ifndef LS_SKIRMISH_H
#define LS_SKIRMISH_H

#include <lockstep/fix2.h>
#include <lockstep/sim.h>

extern const ls_sim ls_skirmish_sim;

/* Squads 0-3 are footmen, 4-6 archers, 7 catapults. */
#define SKIRMISH_SQUADS     8
#define SKIRMISH_ORDERS_MAX 16 /* in one input */

typedef enum skirmish_order_kind {
    SKIRMISH_HOLD = 0, /* stay; strike enemies within reach */
    SKIRMISH_MOVE,     /* go there; fight only on arrival */
    SKIRMISH_ATTACK,   /* go there; fight enemies on the way */
    SKIRMISH_ORDER_KINDS_
} skirmish_order_kind;

typedef struct skirmish_order {
    skirmish_order_kind kind;
    uint8_t squads; /* one bit for each squad; at least one is set */
    ls_fix2 to;     /* within the map, rounded to 1/64; (0, 0) for SKIRMISH_HOLD */
} skirmish_order;

/* The edge of the square map, whose corner is (0, 0). Depends only on the option `units`. */
ls_fix skirmish_edge(const ls_match *match);

/* Writes orders as one input and returns its size. Its bytes are u8 count, then for each order
 * u8 kind, u8 squads, u16 x and u16 y in units of 1/64, little-endian.
 *   shape  1..SKIRMISH_ORDERS_MAX orders, asserted; `bytes` has room for LS_INPUT_BYTES_MAX */
uint32_t skirmish_orders_encode(const skirmish_order *orders, uint32_t count, uint8_t *bytes);
/* Decodes an input and returns the number of its orders; 0 when the bytes are no valid input of
 * this match. `orders` has room for SKIRMISH_ORDERS_MAX. */
uint32_t skirmish_orders_decode(const ls_match *match, const uint8_t *bytes, uint32_t count,
                                skirmish_order *orders);

#endif

/* A small simulation for network tests. Units drift and inputs push them. A singleton counts every
 * join, leave and input, so that a test can check which arrived, how often and in which order. An
 * input is a number (u32, little endian, not 0xffffffff) and any padding. */
#ifndef LS_TALLY_SIM_H
#define LS_TALLY_SIM_H

#include <lockstep/world.h>

enum { TALLY_PLAYERS = 8, TALLY_UNITS = 300 };

typedef struct tally_book {
    uint32_t joins[TALLY_PLAYERS];
    uint32_t leaves[TALLY_PLAYERS];
    uint32_t inputs[TALLY_PLAYERS];
    uint32_t last[TALLY_PLAYERS];     /* number of the last input */
    uint32_t disorder[TALLY_PLAYERS]; /* inputs with a number that did not increase */
    uint32_t strangers;               /* inputs of players that are not in the match */
} tally_book;

extern const ls_sim tally_sim;
/* tally_sim with another source hash, hence another fingerprint. */
extern const ls_sim tally_other_sim;

const tally_book *tally_of(const ls_world *world);

#endif

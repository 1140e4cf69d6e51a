/* The groups of `./bench replay` that have a file of their own. */
#ifndef LS_BENCH_REPLAY_H
#define LS_BENCH_REPLAY_H

#include "benches/bench.h"

extern const bench_group replay_late; /* late.c */

#endif

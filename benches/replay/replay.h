/* Groups of `./bench replay` with a source file of their own. */
#ifndef LS_BENCH_REPLAY_H
#define LS_BENCH_REPLAY_H

#include "benches/bench.h"

extern const bench_group replay_late; /* late.c */

#endif

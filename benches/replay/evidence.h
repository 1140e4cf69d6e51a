/* Rows of the suite: what it costs to be ready for a desync, and how soon it is named in what. */
#ifndef LS_BENCH_REPLAY_EVIDENCE_H
#define LS_BENCH_REPLAY_EVIDENCE_H

#include "benches/bench.h"

extern const bench_group evidence_group;

#endif

/* Rows about evidence: the cost of keeping states, and the time until a desync is explained. */
#ifndef LS_BENCH_REPLAY_EVIDENCE_H
#define LS_BENCH_REPLAY_EVIDENCE_H

#include "benches/bench.h"

extern const bench_group evidence_group;

#endif

/* The groups of `./bench net` that measure only our server and client; suite.c compares ways to
 * serve. */
#ifndef LS_BENCH_NET_GROUPS_H
#define LS_BENCH_NET_GROUPS_H

#include "benches/bench.h"

extern const bench_group net_rooms;                                             /* rooms.c */
extern const bench_group net_prompt_1, net_prompt_8;                            /* prompt.c */
extern const bench_group net_delivery, net_bursts, net_detection;               /* delivery.c */
extern const bench_group net_watch;                                             /* watch.c */
extern const bench_group net_segments_64, net_segments_500, net_segments_pairs; /* segments.c */
extern const bench_group net_late;                                              /* late.c */
extern const bench_group net_rollback;                                          /* rollback.c */
extern const bench_group net_steps_64, net_steps_512, net_steps_2000;           /* steps.c */
/* lines.c */
extern const bench_group net_upstream, net_upstream_orders, net_narrow_idle_20, net_narrow_idle_60,
    net_narrow_order_20, net_narrow_order_60, net_narrow_near_idle_20, net_narrow_near_idle_60,
    net_narrow_near_order_20, net_narrow_state_20, net_narrow_state_60, net_narrow_shared_20,
    net_narrow_shared_60, net_narrow_near_shared_20, net_narrow_near_shared_60, net_narrow_join,
    net_narrow_near_join;

#endif

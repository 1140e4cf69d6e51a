/* The orders of core/run/parallel_for.c: each of two threads gives LOOPS loops of PIECES pieces, and
 * HELPERS more give none. Who has no loop to give helps, or runs its loop alone while another has one.
 *
 * Checked: each piece of a loop runs once; a piece reads what the owner published with the loop; the
 * owner reads what all pieces wrote, and gives another loop only when nothing of the last one runs.
 *
 * -DFAULT_... plants a fault that the checker has to find.
 *
 * The accesses of the program, and which of the model they are; orders.py compares all three:
 *   core/run/parallel_for.c
 *     take load offer: OFFER, RELAXED
 *     take compare_exchange_weak offer: OFFER, TAKES, RELAXED
 *     ls_parallel_for_help fetch_add done: DONE, COUNTS
 *     own exchange is_taken: TAKEN, OWNS
 *     offer store done: DONE, RELAXED
 *     offer store offer: OFFER, OFFERS
 *     ls_parallel_for_run load done: DONE, WAITS
 *     ls_parallel_for_run store is_taken: TAKEN, GIVES_UP */
#ifndef HELPERS
#define HELPERS 0
#endif
#ifndef LOOPS
#define LOOPS 1
#endif
#define OWNERS  2
#define PIECES  2
#define THREADS (OWNERS + HELPERS)
#define OFFER   0 /* the next piece */
#define DONE    1
#define TAKEN   2
#define ATOMICS 3
#define LOOP    0 /* body and argument, and what the owner has prepared for them */
#define CELLS   1 /* of each piece */
#define DATA    (1 + PIECES)
#include "weak_memory.pml"

#ifdef FAULT_TAKES_RELAXED
#define TAKES RELAXED
#else
#define TAKES ACQUIRE
#endif
#ifdef FAULT_COUNTS_RELAXED
#define COUNTS RELAXED
#else
#define COUNTS RELEASE
#endif
#ifdef FAULT_OWNS_RELAXED
#define OWNS RELAXED
#else
#define OWNS ACQUIRE
#endif
#ifdef FAULT_OFFERS_RELAXED
#define OFFERS RELAXED
#else
#define OFFERS RELEASE
#endif
#ifdef FAULT_WAITS_RELAXED
#define WAITS RELAXED
#else
#define WAITS ACQUIRE
#endif
#ifdef FAULT_GIVES_UP_RELAXED
#define GIVES_UP RELAXED
#else
#define GIVES_UP RELEASE
#endif

/* Not of the memory: what the checker counts. */
bool has_run[PIECES];
byte given; /* loops that have ended */

/* `piece`: the one that was taken, or PIECES. */
inline take()
{
	load(who, OFFER, seen, RELAXED);
	do
	:: seen >= PIECES -> piece = PIECES; break
	:: else ->
	   piece = seen;
	   atomic { /* compare and exchange */
		   if
#ifdef FAULT_TAKES_WHAT_IT_SAW
		   :: true ->
#else
		   :: newest[OFFER] == seen ->
#endif
		      is_mine = true; modify(who, OFFER, seen + 1, TAKES)
		   :: else -> seen = newest[OFFER]
		   fi
	   }
	   if
	   :: is_mine -> is_mine = false; break
	   :: else
	   fi
	od;
	seen = 0
}

inline run_piece()
{
	read_data(who, LOOP);
	d_step { assert(!has_run[piece]); has_run[piece] = true }
	write_data(who, CELLS + piece)
}

inline help()
{
	take();
	if
	:: piece < PIECES ->
	   run_piece();
	   d_step { modify(who, DONE, newest[DONE] + 1, COUNTS) }
	:: else
	fi;
	piece = 0
}

inline give()
{
	write_data(who, LOOP);
	d_step { do :: at < PIECES -> has_run[at] = false; at++ :: else -> break od; at = 0 }
	store(who, DONE, 0, RELAXED);
	store(who, OFFER, 0, OFFERS);
	helped = PIECES;
	do
	:: take();
	   if
	   :: piece < PIECES -> run_piece(); helped--
	   :: else -> break
	   fi
	od;
	piece = 0;
#ifndef FAULT_DOES_NOT_WAIT
	do
	:: load(who, DONE, seen, WAITS);
	   if
	   :: seen == helped -> break
	   :: else
	   fi
	od;
#endif
	seen = 0;
	do
	:: at < PIECES -> assert(has_run[at]); read_data(who, CELLS + at); at++
	:: else -> break
	od;
	at = 0;
	helped = 0;
	store(who, TAKEN, 0, GIVES_UP)
}

proctype thread(byte who)
{
	byte seen, piece, helped, at, gave, before;
	bool is_mine;
	do
	:: who < OWNERS && gave < LOOPS ->
	   gave++;
	   atomic { before = newest[TAKEN]; modify(who, TAKEN, 1, OWNS) }
	   if
	   :: !before -> give()
	   :: else /* runs it alone */
	   fi;
	   before = 0;
	   d_step { given++ }
	:: given < OWNERS * LOOPS -> help()
	:: given == OWNERS * LOOPS -> break
	od
}

init {
	byte at;
	atomic {
		newest[OFFER] = PIECES;
		begin_memory();
		do
		:: at < THREADS -> run thread(at); at++
		:: else -> break
		od
	}
}

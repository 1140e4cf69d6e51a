/* The orders of core/run/work_queue.c: the caller, thread 0, and WORKERS workers are in one job and
 * run a small graph of systems. 0 comes before 1 and 2, and both before 3; 1 has PAGES pages. The
 * team has published the queue to all of them (weak_team.pml).
 *
 * Checked: each system begins once and each page runs once; a system reads what the systems before
 * it wrote, also on other threads; who joins a system reads what its beginner set up; the caller
 * reads all results when the queue returns, before the team waits for the workers.
 *
 * -DFAULT_... plants a fault that the checker has to find.
 *
 * The accesses of the program, and which of the model they are; orders.py compares all three:
 *   core/run/work_queue.c
 *     post fetch_or words: READY, POSTS_READY
 *     also: OPENED, POSTS_OPEN
 *     load_word load words: READY, RELAXED
 *     release fetch_sub pending: PENDING, RELEASES
 *     run_shares load next: NEXT, RELAXED
 *     run_shares fetch_add next: NEXT, RELAXED
 *     run_shares fetch_and open: OPENED, RELAXED
 *     note_done fetch_add done: DONE, NOTES
 *     begin store next: NEXT, RELAXED
 *     take_ready fetch_and ready: READY, TAKES
 *     take_one load open: OPENED, JOINS
 *     work fetch_sub left: LEFT, ENDS
 *     work load left: LEFT, RETURNS
 *     set_up store left: -, RELAXED
 *     set_up store pending: -, RELAXED
 *   core/run/run.c
 *     enter load list_used: -, RELAXED
 *     ls_run_begin store next: NEXT, RELAXED
 *     ls_run_begin store done: DONE, RELAXED */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef PAGES
#define PAGES 2
#endif

#define THREADS (1 + WORKERS)
#define READY    0 /* a bit for each system, as in the code */
#define OPENED   1
#define PENDING  2 /* of system 3; the others wait for one or none */
#define NEXT     3
#define DONE     4
#define LEFT     5
#define ATOMICS  6
#define SET_UP   0 /* what ls_run_begin() makes of system 1: pages, chunks, views */
#define FIRST    1 /* the cells that system 0 writes */
#define OTHER    2 /* that system 2 writes */
#define LAST     3 /* that system 3 writes */
#define CELLS    4 /* of each page of system 1 */
#define DATA     (4 + PAGES)
#include "weak_memory.pml"

#define SYSTEMS 4
#define STALE   9 /* of the system's last run */

#ifdef FAULT_POSTS_READY_RELAXED
#define POSTS_READY RELAXED
#else
#define POSTS_READY RELEASE
#endif
#ifdef FAULT_TAKES_RELAXED
#define TAKES RELAXED
#else
#define TAKES ACQUIRE
#endif
#ifdef FAULT_POSTS_OPEN_RELAXED
#define POSTS_OPEN RELAXED
#else
#define POSTS_OPEN RELEASE
#endif
#ifdef FAULT_JOINS_RELAXED
#define JOINS RELAXED
#else
#define JOINS ACQUIRE
#endif
#ifdef FAULT_COUNTS_PREDECESSORS_WITH_RELEASE
#define RELEASES RELEASE
#elif defined(FAULT_COUNTS_PREDECESSORS_WITH_ACQUIRE)
#define RELEASES ACQUIRE
#else
#define RELEASES ACQ_REL
#endif
#ifdef FAULT_COUNTS_PAGES_WITH_RELEASE
#define NOTES RELEASE
#elif defined(FAULT_COUNTS_PAGES_WITH_ACQUIRE)
#define NOTES ACQUIRE
#else
#define NOTES ACQ_REL
#endif
#ifdef FAULT_ENDS_RELAXED
#define ENDS RELAXED
#else
#define ENDS RELEASE
#endif
#ifdef FAULT_RETURNS_RELAXED
#define RETURNS RELAXED
#else
#define RETURNS ACQUIRE
#endif

/* Not of the memory: what the checker counts. */
bool begun[SYSTEMS], has_run[PAGES];
byte returned;

inline begin_system(at)
{
	d_step { assert(!begun[at]); begun[at] = true }
}

inline post(word, at, order)
{
	atomic { modify(who, word, newest[word] | (1 << (at)), order) }
}

inline release_last()
{
	atomic { modify(who, PENDING, newest[PENDING] - 1, RELEASES); count = newest[PENDING] }
	if
	:: count == 0 -> post(READY, 3, POSTS_READY)
	:: else
	fi
}

inline run_page(at)
{
	d_step { assert(!has_run[at]); has_run[at] = true }
	read_data(who, FIRST);
	write_data(who, CELLS + at)
}

/* run_shares(), then note_done(): `done` pages have been run before. */
inline share()
{
	do
	:: load(who, NEXT, page, RELAXED);
	   if
	   :: page >= PAGES -> break
	   :: else
	   fi;
#ifdef FAULT_CLAIMS_IN_TWO_STEPS
	   store(who, NEXT, page + 1, RELAXED);
#else
	   atomic { page = newest[NEXT]; modify(who, NEXT, page + 1, RELAXED) }
#endif
	   if
	   :: page + 1 >= PAGES ->
	      atomic { modify(who, OPENED, newest[OPENED] & ~2, RELAXED) }
	   :: else
	   fi;
	   if
	   :: page >= PAGES -> break
	   :: else
	   fi;
	   run_page(page);
	   done++
	od;
	if
	:: done ->
	   atomic { modify(who, DONE, newest[DONE] + done, NOTES); count = newest[DONE] }
	   if
	   :: count == PAGES -> release_last(); ended++
	   :: else
	   fi;
	   done = 0
	:: else
	fi;
	page = 0
}

inline begin_shared()
{
	begin_system(1);
	write_data(who, SET_UP);
	d_step { store(who, NEXT, 0, RELAXED); store(who, DONE, 0, RELAXED) }
#ifdef FAULT_OPENS_BEFORE_IT_SETS_NEXT
	post(OPENED, 1, POSTS_OPEN);
	store(who, NEXT, 1, RELAXED);
#else
	store(who, NEXT, 1, RELAXED);
	post(OPENED, 1, POSTS_OPEN);
#endif
	run_page(0);
	done = 1;
	share()
}

inline run_last()
{
	begin_system(3);
	read_data(who, OTHER);
	at = 0;
	do
	:: at < PAGES -> read_data(who, CELLS + at); at++
	:: else -> break
	od;
	at = 0;
	write_data(who, LAST);
	ended++
}

proctype thread(byte who)
{
	byte ready, open, page, done, count, ended, at;
	do
	:: load(who, READY, ready, RELAXED);
	   load(who, OPENED, open, JOINS);
	   if
	   :: open -> read_data(who, SET_UP); share()
	   :: ready -> /* the first of them, or a later one: any order is right */
	      if
	      :: ready & 1 -> at = 0
	      :: ready & 2 -> at = 1
	      :: ready & 4 -> at = 2
	      :: ready & 8 -> at = 3
	      fi;
	      atomic {
#ifndef FAULT_TAKES_WHAT_IT_SAW
		      ready = newest[READY] & (1 << at);
#endif
		      modify(who, READY, newest[READY] & ~(1 << at), TAKES)
	      }
	      if
	      :: !ready
	      :: ready && at == 0 ->
	         begin_system(0);
	         write_data(who, FIRST);
	         post(READY, 1, POSTS_READY);
	         post(READY, 2, POSTS_READY);
	         ended++
	      :: ready && at == 1 -> begin_shared()
	      :: ready && at == 2 ->
	         begin_system(2);
	         read_data(who, FIRST);
	         write_data(who, OTHER);
	         release_last();
	         ended++
	      :: ready && at == 3 -> run_last()
	      fi
	   :: !open && !ready ->
	      if
	      :: ended -> atomic { modify(who, LEFT, newest[LEFT] - ended, ENDS) }
	      :: else
	      fi;
	      ended = 0;
	      load(who, LEFT, count, RETURNS);
	      if
	      :: count == 0 -> break
	      :: else
	      fi
	   fi;
	   ready = 0; open = 0; count = 0; at = 0
	od;
	if
	:: who == 0 -> read_data(0, LAST)
	:: else
	fi;
	returned++
}

init {
	byte at;
	atomic {
		newest[READY] = 1;
		newest[PENDING] = 2;
		newest[LEFT] = SYSTEMS;
		newest[NEXT] = STALE;
		newest[DONE] = PAGES;
		begin_memory();
		do
		:: at < THREADS -> run thread(at); at++
		:: else -> break
		od
	}
	returned == THREADS;
	assert(begun[0] && begun[1] && begun[2] && begun[3]);
	assert(has_run[0] && has_run[PAGES - 1])
}

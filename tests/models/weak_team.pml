/* The orders of core/base/team.c: a caller, thread 0, opens TICKS jobs, and each of WORKERS workers
 * enters, or is late, or sleeps.
 *
 * Checked: a worker reads the job that was published; it reads the cells as the caller left them;
 * the caller changes job and cells only after all workers have left, and sees what they wrote;
 * nobody sleeps through a job or through the end.
 *
 * -DFAULT_... plants a fault that the checker has to find.
 *
 * The accesses of the program, and which of the model they are; orders.py compares all three:
 *   core/base/team.c
 *     wake_sleepers load sleepers: SLEEPERS, LOOKS
 *     sleep_until_woken fetch_add sleepers: SLEEPERS, COUNTS
 *     sleep_until_woken load state: STATE, LAST_LOOK
 *     sleep_until_woken load is_stopping: STOPPING, LAST_LOOK
 *     sleep_until_woken fetch_sub sleepers: SLEEPERS, RELAXED
 *     wait_for_job load state: STATE, RELAXED
 *     wait_for_job load is_stopping: STOPPING, RELAXED
 *     wait_for_job load is_busy: -, RELAXED
 *     wait_for_job load state: STATE, RELAXED
 *     enter load state: STATE, RELAXED
 *     enter compare_exchange_weak state: STATE, ENTERS, RELAXED
 *     leave fetch_sub state: STATE, LEAVES
 *     worker_main load is_stopping: STOPPING, RELAXED
 *     run_task store is_submitted: -, RELEASE
 *     run_task store is_submitted: -, RELAXED
 *     submit_tasks load is_submitted: -, ACQUIRE
 *     submit_tasks store is_submitted: -, RELAXED
 *     ls_team_run load state: -, RELAXED
 *     ls_team_run store state: STATE, OPENS
 *     ls_team_run fetch_and state: STATE, CLOSES
 *     ls_team_run load state: STATE, CLOSES
 *     ls_team_enter store is_busy: -, RELAXED
 *     ls_team_leave store is_busy: -, RELAXED
 *     wait_for_tasks load is_submitted: -, ACQUIRE
 *     ls_team_destroy store is_stopping: STOPPING, STOPS */
#ifndef WORKERS
#define WORKERS 1
#endif
#ifndef TICKS
#define TICKS 2
#endif

#define THREADS (1 + WORKERS)
#define STATE    0
#define SLEEPERS 1
#define STOPPING 2
#define MUTEX    3
#define ATOMICS  4
#define JOB      0 /* team->function, team->job and all that the job points to */
#define WAKES    1 /* team->wakes */
#define CELLS    2 /* of each worker, what it alone writes in a job */
#define DATA     (2 + WORKERS)
#include "weak_memory.pml"

/* The word: how many are inside, whether it is open, its number. */
#define INSIDE  3
#define OPEN    4
#define NEXT    8
#define NEWS(word, seen) (((word) & OPEN) && (word) / NEXT != (seen))

#ifdef FAULT_OPENS_RELAXED
#define OPENS RELAXED
#elif defined(FAULT_OPENS_WITH_RELEASE)
#define OPENS RELEASE
#else
#define OPENS SEQ_CST
#endif
#ifdef FAULT_ENTERS_RELAXED
#define ENTERS RELAXED
#else
#define ENTERS ACQUIRE
#endif
#ifdef FAULT_LEAVES_RELAXED
#define LEAVES RELAXED
#else
#define LEAVES RELEASE
#endif
#ifdef FAULT_CLOSES_RELAXED
#define CLOSES RELAXED
#else
#define CLOSES ACQUIRE
#endif
#ifdef FAULT_COUNTS_SLEEPERS_RELAXED
#define COUNTS RELAXED
#else
#define COUNTS SEQ_CST
#endif
#ifdef FAULT_LOOKS_FOR_SLEEPERS_RELAXED
#define LOOKS RELAXED
#else
#define LOOKS SEQ_CST
#endif
#ifdef FAULT_SLEEPS_AFTER_A_RELAXED_LOOK
#define LAST_LOOK RELAXED
#else
#define LAST_LOOK SEQ_CST
#endif
#ifdef FAULT_STOPS_WITH_RELEASE
#define STOPS RELEASE
#else
#define STOPS SEQ_CST
#endif

byte wakes;
bool asleep[THREADS]; /* waits for `wakes` */
byte seen[THREADS];   /* number of the job that the worker was in last */

inline wake_sleepers()
{
	load(0, SLEEPERS, word, LOOKS);
	if
	:: word ->
	   lock(0, MUTEX);
	   write_data(0, WAKES);
	   d_step {
		   wakes++;
		   word = 1;
		   do
		   :: word <= WORKERS -> asleep[word] = false; word++
		   :: else -> break
		   od
	   }
	   unlock(0, MUTEX)
	:: else
	fi
}

proctype worker(byte who)
{
	byte word, stop, before;
	do
	:: load(who, STOPPING, stop, RELAXED);
	   if
	   :: stop -> break
	   :: else
	   fi;
	   load(who, STATE, word, RELAXED);
	   if
	   :: NEWS(word, seen[who]) ->
	      atomic { /* compare and exchange */
		      if
		      :: newest[STATE] == word -> modify(who, STATE, word + 1, ENTERS)
		      :: else -> word = 0
		      fi
	      }
	      if
	      :: word ->
	         seen[who] = word / NEXT;
	         read_data(who, JOB);
	         write_data(who, CELLS + who - 1);
	         d_step { modify(who, STATE, newest[STATE] - 1, LEAVES) }
	      :: else
	      fi
	   :: else ->
	      lock(who, MUTEX);
	      read_data(who, WAKES);
	      before = wakes;
	      d_step { modify(who, SLEEPERS, newest[SLEEPERS] + 1, COUNTS) }
	      do
	      :: read_data(who, WAKES);
	         if
	         :: wakes != before -> break
	         :: else
	         fi;
	         load(who, STATE, word, LAST_LOOK);
	         if
	         :: NEWS(word, seen[who]) -> break
	         :: else
	         fi;
	         load(who, STOPPING, stop, LAST_LOOK);
	         if
	         :: stop -> break
	         :: else
	         fi;
	         atomic { asleep[who] = true; unlock(who, MUTEX) } /* ls_wake_wait */
	         !asleep[who];
	         lock(who, MUTEX)
	      od;
	      atomic { modify(who, SLEEPERS, newest[SLEEPERS] - 1, RELAXED) }
	      unlock(who, MUTEX)
	   fi;
	   word = 0; stop = 0; before = 0
	od
}

init {
	byte word, tick, at;
	begin_memory();
	atomic {
		tick = 1;
		do
		:: tick <= WORKERS -> run worker(tick); tick++
		:: else -> break
		od;
		tick = 0
	}
	do
	:: tick < TICKS ->
	   tick++;
	   write_data(0, JOB);
#ifdef FAULT_WAKES_BEFORE_IT_OPENS
	   wake_sleepers();
	   store(0, STATE, tick * NEXT + OPEN, OPENS);
#else
	   store(0, STATE, tick * NEXT + OPEN, OPENS);
	   wake_sleepers();
#endif
	   read_data(0, JOB);
	   d_step { /* nobody who sleeps has missed the job */
		   at = 1;
		   do
		   :: at <= WORKERS -> assert(!asleep[at] || seen[at] == tick); at++
		   :: else -> break
		   od;
		   at = 0
	   }
	   d_step {
		   word = newest[STATE];
		   modify(0, STATE, word & ~OPEN, CLOSES)
	   }
	   do
	   :: word & INSIDE -> load(0, STATE, word, CLOSES)
	   :: else -> break
	   od;
	   word = 0;
	   do
	   :: at < WORKERS -> write_data(0, CELLS + at); at++
	   :: else -> break
	   od;
	   at = 0
	:: else -> break
	od;
	store(0, STOPPING, 1, STOPS);
	wake_sleepers();
	_nr_pr == 1 /* ls_thread_join */
}

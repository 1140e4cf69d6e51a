/* The orders of server/jobs.c, server/job_pool.c, the wake of proto/link_enet.c and the discarded
 * snapshots of server/driver.c. The owner, thread 0, is the network thread: it submits JOBS jobs in
 * each of ROUNDS rounds, looks at them when their flag is up, and waits for a ring. Thread 1 is the
 * pool's worker. Thread 2 comes when the owner replaces a slow worker (-DREPLACES) or abandons its
 * job (-DABANDONS).
 *
 * The eventfd of the ring orders nothing here, and a wait may return once without a ring.
 *
 * Checked: each job runs once, and not at all if it was removed; a job reads what its owner wrote,
 * and the owner its results; a discarded snapshot is read after it was written; the owner does not
 * sleep while a finished job waits for it; nothing of a lost job is touched; the memory of the flag
 * is freed when no thread can raise it.
 *
 * -DFAULT_... plants a fault that the checker has to find.
 *
 * The accesses of the program, and which of the model they are; orders.py compares all three:
 *   server/jobs.c
 *     ls_job_submit store state: STATE, RELAXED
 *     ls_flag_raise exchange flag: FLAG, RAISES
 *     ls_flag_lower load flag: FLAG, RELAXED
 *     ls_flag_lower exchange flag: FLAG, LOWERS
 *     ls_job_finish store state: STATE, FINISHES
 *     ls_job_is_finished load state: STATE, LOOKS
 *     ls_job_is_busy load state: -, RELAXED
 *     ls_job_take store state: STATE, RELAXED
 *     ls_job_abandon store state: STATE, RELAXED
 *   server/job_pool.c
 *   server/driver.c
 *     give_up_discarded exchange discarded: SLOT, TAKES_DISCARDED
 *     ls_driver_discard compare_exchange discarded: SLOT, DISCARDS, RELAXED
 *   proto/link_enet.c
 *     link_wait exchange is_wake_pending: PENDING, CLEARS
 *     link_wake exchange is_wake_pending: PENDING, RINGS */
#ifndef JOBS
#define JOBS 2
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif

#define THREADS 3
#define FLAG    0
#define PENDING 1 /* is_wake_pending */
#define SLOT    2 /* driver->discarded */
#define MUTEX   3
#define STATE   4 /* of each job */
#define ATOMICS (4 + JOBS)
#define POOL     0 /* what the mutex guards */
#define FLAGS    1 /* the memory of the flag: raising it is a read, freeing it a write */
#define SNAPSHOT 2
#define JOB      3 /* of each job: arguments and results */
#define DATA     (3 + JOBS)
#include "weak_memory.pml"

#define IDLE      0
#define SUBMITTED 1
#define FINISHED  2

#ifdef FAULT_FINISHES_RELAXED
#define FINISHES RELAXED
#else
#define FINISHES RELEASE
#endif
#ifdef FAULT_IS_FINISHED_RELAXED
#define LOOKS RELAXED
#else
#define LOOKS ACQUIRE
#endif
#ifdef FAULT_RAISES_RELAXED
#define RAISES RELAXED
#else
#define RAISES RELEASE
#endif
#ifdef FAULT_LOWERS_RELAXED
#define LOWERS RELAXED
#else
#define LOWERS ACQUIRE
#endif
#ifdef FAULT_RINGS_RELAXED
#define RINGS RELAXED
#else
#define RINGS RELEASE
#endif
#ifdef FAULT_CLEARS_RELAXED
#define CLEARS RELAXED
#else
#define CLEARS ACQUIRE
#endif
#ifdef FAULT_DISCARDS_RELAXED
#define DISCARDS RELAXED
#else
#define DISCARDS RELEASE
#endif
#ifdef FAULT_TAKES_DISCARDED_RELAXED
#define TAKES_DISCARDED RELAXED
#else
#define TAKES_DISCARDED ACQUIRE
#endif

/* Of the pool, under its mutex. */
bool queued[JOBS], is_stopping, is_replaced[THREADS], is_lost[THREADS];
byte running[THREADS]; /* 1 + the job */
bool asleep[THREADS];  /* waits for work */
bool ring;             /* the eventfd */
/* Not of the program: what the checker knows. */
bool has_run[JOBS];

inline wake_workers()
{
	d_step { asleep[1] = false; asleep[2] = false }
}

inline raise(thread)
{
	read_data(thread, FLAGS);
#ifdef FAULT_RAISES_BY_A_STORE
	store(thread, FLAG, 1, RAISES);
#else
	atomic { modify(thread, FLAG, 1, RAISES) }
#endif
}

/* ls_job_finish(), then ls_link_wake(). */
inline finish(who, job)
{
#ifdef FAULT_RAISES_BEFORE_IT_FINISHES
	raise(who);
	store(who, STATE + job, FINISHED, FINISHES);
#else
	store(who, STATE + job, FINISHED, FINISHES);
#ifdef FAULT_RINGS_BEFORE_IT_RAISES
	atomic { got = newest[PENDING]; modify(who, PENDING, 1, RINGS) }
	if
	:: !got -> ring = true
	:: else
	fi;
	raise(who);
	got = 1;
#else
	raise(who);
#endif
#endif
#ifndef FAULT_RINGS_BEFORE_IT_RAISES
	atomic { got = newest[PENDING]; modify(who, PENDING, 1, RINGS) }
	if
	:: !got -> ring = true
	:: else
	fi
#endif
}

proctype worker(byte who)
{
	byte job, got;
	lock(who, MUTEX);
	do
	:: write_data(who, POOL);
	   if
	   :: is_replaced[who] -> break
	   :: !is_replaced[who] && queued[0] -> job = 0
#if JOBS > 1
	   :: !is_replaced[who] && !queued[0] && queued[1] -> job = 1
#endif
	   :: else ->
	      if
	      :: is_stopping -> break
	      :: else
	      fi;
	      atomic { asleep[who] = true; unlock(who, MUTEX) } /* pthread_cond_wait */
	      !asleep[who];
	      lock(who, MUTEX);
	      goto again
	   fi;
#ifdef FAULT_LEAVES_THE_JOB_QUEUED
	   running[who] = 1 + job;
#else
	   queued[job] = false;
	   running[who] = 1 + job;
#endif
	   unlock(who, MUTEX);
	   d_step { assert(!has_run[job]); has_run[job] = true }
	   write_data(who, JOB + job);
	   atomic { got = newest[SLOT]; modify(who, SLOT, 0, TAKES_DISCARDED) }
	   if
	   :: got -> write_data(who, SNAPSHOT)
	   :: else
	   fi;
#ifdef FAULT_FINISHES_WITHOUT_THE_MUTEX
	   finish(who, job);
	   lock(who, MUTEX);
	   write_data(who, POOL);
	   running[who] = 0;
#else
	   lock(who, MUTEX);
	   write_data(who, POOL);
#ifndef FAULT_LOST_JOBS_FINISH
	   if
	   :: is_lost[who] -> break
	   :: else
	   fi;
#endif
	   running[who] = 0;
	   finish(who, job);
#endif
again:
	   job = 0; got = 0
	od;
	unlock(who, MUTEX)
}

inline submit(j)
{
#ifdef FAULT_WRITES_AFTER_IT_SUBMITS
	store(0, STATE + j, SUBMITTED, RELAXED);
	lock(0, MUTEX);
	write_data(0, POOL);
	queued[j] = true;
	wake_workers();
	unlock(0, MUTEX);
	write_data(0, JOB + j);
#else
	write_data(0, JOB + j);
	store(0, STATE + j, SUBMITTED, RELAXED);
	lock(0, MUTEX);
	write_data(0, POOL);
	queued[j] = true;
	wake_workers();
	unlock(0, MUTEX);
#endif
	busy++;
	is_busy[j] = true
}

/* ls_job_take() */
inline take(j)
{
	load(0, STATE + j, got, LOOKS);
	if
	:: got == FINISHED ->
	   store(0, STATE + j, IDLE, RELAXED);
	   write_data(0, JOB + j);
	   d_step { assert(has_run[j]); has_run[j] = false }
	   is_busy[j] = false;
	   busy--
	:: else
	fi;
	got = 0
}

/* ls_driver_discard(), while the worker may take what was discarded. */
inline discard()
{
	if
	:: !has_discarded ->
	   has_discarded = true;
	   write_data(0, SNAPSHOT);
	   atomic { modify(0, SLOT, 1, DISCARDS) }
	:: true
	fi
}

inline start_other()
{
	atomic {
		has_other = true;
		knows[2] = knows[0] | knows[2];
		run worker(2)
	}
}

inline replace_slow()
{
	lock(0, MUTEX);
	write_data(0, POOL);
	if
	:: running[1] && !has_other && queued[JOBS - 1] -> is_replaced[1] = true; start_other()
	:: else
	fi;
	unlock(0, MUTEX)
}

inline abandon(j)
{
	lock(0, MUTEX);
	write_data(0, POOL);
	load(0, STATE + j, got, LOOKS);
	if
	:: got == FINISHED -> got = 0
	:: got != FINISHED && queued[j] ->
#ifndef FAULT_ABANDONED_JOBS_STAY_QUEUED
	   queued[j] = false;
#endif
	   got = 1
	:: else ->
	   assert(running[1] == 1 + j);
	   is_lost[1] = true;
	   start_other();
	   got = 2
	fi;
	unlock(0, MUTEX);
	if
	:: got == 1 ->
	   store(0, STATE + j, IDLE, RELAXED);
	   write_data(0, JOB + j);
	   assert(!has_run[j]);
	   is_busy[j] = false;
	   busy--
	:: got == 2 -> is_busy[j] = false; busy-- /* the thread owns the job from now on */
	:: else
	fi;
	got = 0
}

init {
	byte round, busy, got, j;
	bool is_busy[JOBS], has_discarded, has_other, has_returned, has_raised;
	begin_memory();
	run worker(1);
	do
	:: round < ROUNDS ->
	   round++;
	   j = 0;
	   do
	   :: j < JOBS -> submit(j); j++
	   :: else -> break
	   od;
	   j = 0;
	   discard();
	   do
	   :: if /* a message may need a step of the room, too */
	      :: !has_raised -> has_raised = true; raise(0)
	      :: true
	      fi;
	      load(0, FLAG, got, RELAXED);
	      if
	      :: got ->
	         atomic { got = newest[FLAG]; modify(0, FLAG, 0, LOWERS) }
	         j = 0;
	         do
	         :: j < JOBS && is_busy[j] -> take(j); j++
	         :: j < JOBS && !is_busy[j] -> j++
	         :: else -> break
	         od;
	         j = 0
	      :: else
	      fi;
	      got = 0;
#ifdef REPLACES
	      replace_slow();
#endif
#ifdef ABANDONS
	      if
	      :: is_busy[0] && !has_other -> abandon(0)
	      :: true
	      fi;
#endif
	      if
	      :: busy == 0 -> break
	      :: else
	      fi;
	      if /* ls_socket_wait() */
	      :: atomic { ring -> ring = false }
	      :: !has_returned -> has_returned = true
	      fi;
#ifdef FAULT_CLEARS_BY_A_STORE
	      store(0, PENDING, 0, SEQ_CST)
#else
	      atomic { modify(0, PENDING, 0, CLEARS) }
#endif
	   od
	:: else -> break
	od;
#ifndef FAULT_FREES_AT_ONCE
	/* ls_server_destroy() submits a last job to each pool and waits for it. */
	lock(0, MUTEX);
	unlock(0, MUTEX);
#endif
	write_data(0, FLAGS);
	lock(0, MUTEX);
	write_data(0, POOL);
	is_stopping = true;
#ifndef FAULT_STOPS_WITHOUT_A_WAKE
	wake_workers();
#endif
	unlock(0, MUTEX);
	_nr_pr == 1
}
